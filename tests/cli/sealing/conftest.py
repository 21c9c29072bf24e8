import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from plumbline.secrets.sealing import Keyring, made_key

from .cluster import Cluster
from .sealed import Sealed


@pytest.fixture(scope="session")
def keys():
    """The older first. They are slow to make."""
    now = datetime.now(UTC).replace(microsecond=0)
    return tuple(made_key(now - timedelta(days=age), size=2048) for age in (40, 10))


@pytest.fixture(scope="session")
def expired():
    return made_key(datetime(2019, 1, 2, tzinfo=UTC), size=2048, lifetime=timedelta(days=1))


@pytest.fixture
def sealed(keys, tmp_path):
    """Certificates and keys as files, and what is sealed, opened."""
    return Sealed(keys, tmp_path)


@pytest.fixture
def cluster(keys, tmp_path, monkeypatch, run):
    """The kubeconfig leads to it. *run* comes first: it forgets about kubeconfigs."""
    place = Cluster(Keyring(keys), tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(place.kubeconfig))
    yield place
    place.stop()


@pytest.fixture
def git(tmp_path, monkeypatch):
    """A work tree with one commit, where everything runs."""
    root = tmp_path / "work"
    root.mkdir()
    for name, value in {"NAME": "ada", "EMAIL": "ada@example.org"}.items():
        monkeypatch.setenv(f"GIT_AUTHOR_{name}", value)
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", value)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(root)

    def invoke(*args):
        done = subprocess.run(["git", *map(str, args)], cwd=root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    invoke("init", "--quiet", "--initial-branch=main")
    (root / ".gitignore").write_text("ignored\n")
    invoke("add", "--all")
    invoke("commit", "--quiet", "--message", "first")
    return invoke
