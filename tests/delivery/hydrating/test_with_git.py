"""The same with a real repository on disk, real pushes and real time."""

import msgspec
from tests.delivery.founding import founded
from tests.delivery.town import REPO, config_map, on_plane
from tests.source.git.origins import Origin

from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.source.git import GitSources, Pace
from plumbline.source.repository import Repository

from .branching import deploy, enable, hydrated_at


class Served(GitSources):
    """Repositories that all stand on this disk."""

    def __init__(self, folder, origin, clock, ids):
        self.paces = []
        self._origin = origin
        world = World(clock, ids, Metrics())
        super().__init__(folder, world, self._connected, pace=Pace(poll_s=3600, jitter_s=0))

    def _connected(self, url, project):
        return Repository(url=url, project=project, stands_at=str(self._origin.path))

    async def publish(self, proposal, writer, *, project=""):
        here = msgspec.structs.replace(writer, stands_at=str(self._origin.path))
        return await super().publish(proposal, here, project=project)


def files_on(origin, branch):
    tree = origin.repository.references[f"refs/heads/{branch}"].peel().tree
    return {
        path: tree[path].data.decode() for path in ("web/manifest.yaml", "web/hydrator.metadata", "hydrator.metadata")
    }


def commits_on(origin, branch):
    tip = origin.repository.references[f"refs/heads/{branch}"].target
    return [each.message.splitlines()[0] for each in origin.repository.walk(tip)]


async def test_a_push_to_the_dry_source_becomes_one_on_the_branch_and_then_live(tmp_path):
    origin = Origin(tmp_path / "shop.git")
    first = origin.push({"web/a.yaml": config_map("a"), "db/b.yaml": config_map("b")}, message="first")
    clock, ids = SystemClock(), Ids(7)
    plane = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    sources = Served(tmp_path / "mirrors", origin, clock, ids)
    async with plane.running(), on_plane(plane, clock, ids, repository=sources) as town:
        await enable(town)
        await deploy(town, "web", "db", branch="environments/dev")
        for name in ("web", "db"):
            await hydrated_at(town, first, name)
        files = files_on(origin, "environments/dev")
        assert files["web/manifest.yaml"].startswith('apiVersion: v1\ndata:\n  value: "1"\nkind: ConfigMap\n')
        assert f'"drySha": "{first}"' in files["hydrator.metadata"]
        second = origin.push(
            {"web/a.yaml": config_map("a", "2"), "db/b.yaml": config_map("b", "2")}, message="second\n\nfor a reason"
        )
        await sources.resolve(REPO, "main", fresh=True)
        status = await hydrated_at(town, second)
        sha = status["lastSuccessfulOperation"]["hydratedSHA"]
        assert str(origin.repository.references["refs/heads/environments/dev"].target) == sha
        await town.synced("web", sha)
        await town.synced("db", sha)
        assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "2"}
        assert commits_on(origin, "environments/dev").count(f"{second[:7]}: second") == 1
        made = origin.repository[sha]
        assert made.message == f"{second[:7]}: second\n\nfor a reason\n\nCo-authored-by: Ada <ada@example.com>\n"
        assert (made.author.name, made.author.email) == ("Argo CD", "argo-cd@example.com")
        third = origin.push({"README": "nothing that is rendered"}, message="third")
        await sources.resolve(REPO, "main", fresh=True)
        assert (await hydrated_at(town, third))["lastSuccessfulOperation"]["hydratedSHA"] == sha
        assert str(origin.repository.references["refs/heads/environments/dev"].target) == sha
        note = origin.repository.lookup_note(sha, "refs/notes/hydrator.metadata")
        assert note.message == f'{{"drySha":"{third}"}}\n'


async def test_many_applications_are_one_commit(tmp_path):
    origin = Origin(tmp_path / "shop.git")
    names = [f"app-{number}" for number in range(12)]
    first = origin.push({f"{name}/a.yaml": config_map(name) for name in names}, message="first")
    clock, ids = SystemClock(), Ids(7)
    plane = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    sources = Served(tmp_path / "mirrors", origin, clock, ids)
    async with plane.running(), on_plane(plane, clock, ids, repository=sources) as town:
        await deploy(town, *names, branch="environments/dev")
        await enable(town)
        for name in names:
            await hydrated_at(town, first, name)
    assert commits_on(origin, "environments/dev") == [f"{first[:7]}: first", "Initial commit for environments/dev"]
