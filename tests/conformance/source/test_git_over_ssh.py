"""The real ssh of this machine, and a server that speaks its protocol: who may come in, and whom we believe to be the host."""

import shutil
import socket
import subprocess
import time

import pytest
from tests.conformance.argocd_e2e.servers import MOUNT, over_ssh
from tests.source.git.origins import Origin

from plumbline.base.clock import SystemClock
from plumbline.base.errors import NotFound, Unauthenticated
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.source.git import GitSources, Pace
from plumbline.source.repository import Credentials, Repository

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not (shutil.which("ssh") and shutil.which("go")), reason="needs ssh, and Go for the server"),
]

_HOST_KEYS = ("rsa", "ecdsa", "ed25519")
_START_S = 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ssh")


@pytest.fixture(scope="module")
def keys(folder):
    """Keys of the host, of who may come in, and of somebody else."""
    made = folder / "keys"
    made.mkdir()
    for name, kind in [
        ("id_rsa", "rsa"),
        ("stranger", "ed25519"),
        *((f"ssh_host_{each}_key", each) for each in _HOST_KEYS),
    ]:
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", name, "-f", made / name], check=True)
    return made


@pytest.fixture(scope="module")
def origin(folder):
    made = Origin(folder / "served" / "app.git")
    made.first = made.push({"app.yaml": "a: 1\n"})
    return made


@pytest.fixture(scope="module")
def port(folder, keys, origin):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with over_ssh(folder / "served", keys, port):
        deadline = time.monotonic() + _START_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                assert time.monotonic() < deadline, "the server did not start"
                time.sleep(0.05)
            else:
                break
        yield port


@pytest.fixture
def known(keys, port):
    """Lines of known hosts, for the right host with the key of a file."""

    def line(file):
        return f"[127.0.0.1]:{port} {' '.join((keys / file).read_text().split()[:2])}\n"

    return line


@pytest.fixture
def sources(tmp_path, keys):
    def made(key="id_rsa", **settings):
        credentials = Credentials(ssh_private_key=Plaintext((keys / key).read_text()))

        def connect(url, project):
            return Repository(url=url, credentials=credentials, **settings)

        pace = Pace(poll_s=3600, jitter_s=0, deadline_s=30, first_deadline_s=30, stalled_s=5)
        return GitSources(tmp_path / "mirrors", World(SystemClock(), Ids(7), Metrics()), connect, pace=pace)

    return made


@pytest.fixture
def url(port):
    return f"ssh://git@127.0.0.1:{port}{MOUNT}/app.git"


async def test_with_the_right_key_a_host_that_is_known_gives_what_it_has(sources, known, origin, url):
    following = sources(known_hosts=known("ssh_host_ed25519_key.pub"))
    assert await following.resolve(url, "main") == origin.first
    assert (await following.tree(url, origin.first)).read("app.yaml") == b"a: 1\n"


async def test_a_host_that_nobody_knows_is_refused(sources, url):
    with pytest.raises(Unauthenticated, match="the key of its host is not a known one") as refused:
        await sources(known_hosts="").resolve(url, "main")
    assert "argocd-ssh-known-hosts-cm" in refused.value.hint


async def test_a_host_with_another_key_than_the_known_one_is_refused(sources, known, url):
    with pytest.raises(Unauthenticated, match="the key of its host is not a known one"):
        await sources(known_hosts=known("stranger.pub")).resolve(url, "main")


async def test_who_says_so_believes_any_host(sources, origin, url):
    assert await sources(insecure=True).resolve(url, "main") == origin.first


async def test_a_key_that_may_not_come_in_is_said_to_be_that(sources, known, url):
    refusing = sources("stranger", known_hosts=known("ssh_host_ed25519_key.pub"))
    with pytest.raises(Unauthenticated, match="it does not accept our credentials"):
        await refusing.resolve(url, "main")


async def test_a_key_that_is_none_is_said_to_be_that(sources, known, keys, url):
    (keys / "broken").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nnone\n-----END OPENSSH PRIVATE KEY-----\n")
    with pytest.raises(Unauthenticated, match="it does not accept our credentials"):
        await sources("broken", known_hosts=known("ssh_host_ed25519_key.pub")).resolve(url, "main")


async def test_a_repository_that_is_not_there_is_not_taken_for_a_host_that_is_away(sources, known, url):
    with pytest.raises(NotFound):
        await sources(known_hosts=known("ssh_host_ed25519_key.pub")).resolve(url.replace("app", "other"), "main")
