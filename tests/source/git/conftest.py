import pytest
from tests.source.git.origins import Origin
from tests.source.git.server import GitServer

from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.source.git import GitSources, Pace
from plumbline.source.git import exchange as exchange_module
from plumbline.source.repository import Repository

URL = "https://forge.example/team/app.git"


@pytest.fixture
def origin(tmp_path):
    """A repository with one commit, which stands for what `URL` names."""
    made = Origin(tmp_path / "served" / "app.git")
    made.first = made.push({"apps/one/app.yaml": "a: 1\n", "README": "hello\n"}, message="first")
    return made


@pytest.fixture
def server(tmp_path, origin):
    with GitServer(tmp_path / "served").running() as running:
        yield running


@pytest.fixture
def world():
    return World(SystemClock(), Ids(7), Metrics())


@pytest.fixture
def runs(monkeypatch):
    """Every process that is started for a mirror."""
    started = []
    real = exchange_module.run

    async def counted(command):
        started.append(command)
        return await real(command)

    monkeypatch.setattr(exchange_module, "run", counted)
    return started


@pytest.fixture
def make(tmp_path, world, runs):
    """Sources whose mirrors are in a folder that outlives them."""

    def made(connect=None, *, folder="mirrors", pace=None, **settings):
        fast = Pace(poll_s=3600, jitter_s=0, deadline_s=30, first_deadline_s=30, stalled_s=2)
        fresh = World(world.clock, world.ids, Metrics())
        return GitSources(tmp_path / folder, fresh, connect or over_http, pace=pace or fast, **settings)

    return made


def over_http(url, project):
    return Repository(url=url, project=project)


@pytest.fixture
def local(origin):
    """As settings have it for a repository that stands on this disk."""

    def connect(url, project):
        return Repository(url=url, project=project, stands_at=str(origin.path))

    return connect
