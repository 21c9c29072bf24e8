import subprocess
import sys
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from plumbline.cli.main import plumb

from .installed import Installed, Plumb


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command line in this process, with a home folder of its own and no colours asked for."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("NO_COLOR", "FORCE_COLOR", "KUBECONFIG"):
        monkeypatch.delenv(name, raising=False)

    def invoke(*args, stdin=None):
        result = CliRunner().invoke(plumb, [str(arg) for arg in args], input=stdin)
        return Said(result.exit_code, result.stdout, result.stderr)

    return invoke


@pytest.fixture
def program(tmp_path):
    """The real entry point in a process of its own; *before* is Python that runs ahead of it."""

    def invoke(*args, before="", stdin="", **environment):
        script = f"{before}\nfrom plumbline.cli.main import main\nmain()"
        done = subprocess.run(
            [sys.executable, "-c", script, *map(str, args)],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"} | environment,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    return invoke


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """An installation for all tests that need one: each uses an application of its own."""
    place = Installed(tmp_path_factory.mktemp("installed"))
    place.start()
    yield place
    place.stop()


@pytest.fixture
def shop(run, installed, monkeypatch):
    """The command line, with the kubeconfig of the installation."""
    monkeypatch.setenv("KUBECONFIG", str(installed.kubeconfig))
    return Plumb(run, installed)


@pytest.fixture
def password(installed):
    """The administrator's first one."""
    return installed.password()


@pytest.fixture
def served(run, installed, password):
    """The command line of somebody who has logged in to the server, and has no kubeconfig at all."""
    plumb = Plumb(run, installed)
    plumb.done("login", installed.web, "--username", "admin", "--password", password)
    return plumb
