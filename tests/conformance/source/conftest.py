"""The real Helm, and charts that it packed and pushed to servers of ours."""

import shutil
import subprocess

import pytest
from tests.conformance.render.conftest import CORPUS, helm, kustomize, toolbox
from tests.source.charts.server import HelmServer, OciServer

from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import walk
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.source.charts import ChartSources
from plumbline.source.repository import Credentials, Repository

__all__ = ["helm", "kustomize", "toolbox"]

CHARTS = ("batch", "dashboards", "legacy", "odd", "operator", "tenants", "webshop")
VERSIONS = ("0.9.0", "1.0.0", "1.2.0", "1.2.3+b.1", "1.10.0", "2.0.0-rc.1", "2.0.0-rc.2")


class Cli:
    """`helm` with a home of its own."""

    def __init__(self, program, folder):
        self._program = program
        self.folder = folder

    def __call__(self, *argv, cwd=None, fails=False):
        environment = {"HOME": str(self.folder / "home"), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            [self._program, *map(str, argv)], cwd=cwd or self.folder, env=environment, capture_output=True, check=False,
            timeout=60,
        )  # fmt: skip
        assert fails or done.returncode == 0, done.stderr.decode()
        return done.stdout if done.returncode == 0 else None


@pytest.fixture(scope="session")
def cli(helm, tmp_path_factory):
    return Cli(helm, tmp_path_factory.mktemp("helm"))


@pytest.fixture(scope="session")
def packed(cli):
    """Every chart of the corpus, and `odd` in several versions."""
    shutil.copytree(CORPUS / "charts", cli.folder / "charts", symlinks=True)
    target = cli.folder / "packed"
    for name in CHARTS:
        cli("dependency", "build", cli.folder / "charts" / name)
        cli("package", cli.folder / "charts" / name, "--destination", target)
    for version in VERSIONS:
        cli("package", cli.folder / "charts" / "odd", "--version", version, "--destination", target)
    cli("repo", "index", target)
    return target


@pytest.fixture(scope="session")
def repository(packed):
    with HelmServer().running() as server:
        server.files = {f"/{path.name}": path.read_bytes() for path in packed.iterdir()}
        yield server


@pytest.fixture(scope="session")
def registry(packed, cli):
    with OciServer().running() as server:
        server.user, server.page = "me:hunter2", 3
        cli("registry", "login", server.host, "--username", "me", "--password", "hunter2", "--plain-http")
        for path in sorted(packed.glob("*.tgz")):
            cli("push", path, f"oci://{server.host}/charts", "--plain-http")
        yield server


@pytest.fixture
def sources(tmp_path, connected):
    return ChartSources(tmp_path / "sources", World(SystemClock(), Ids(7), Metrics()), connected)


@pytest.fixture
def connected():
    return lambda url, project: Repository(
        url=url, plain_http=True, credentials=Credentials(username="me", password=Plaintext("hunter2"))
    )


def files_of(tree):
    return {path: tree.read(path) for path, entry in walk(tree) if entry.kind == "file"}
