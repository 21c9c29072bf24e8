"""An application that nobody has written yet, tried out."""

from types import SimpleNamespace

import pytest

from plumbline.base.errors import InvalidInput, NotFound, NotYet, Throttled, TimedOut, Unauthenticated, Unreachable
from plumbline.delivery.looks import fault
from plumbline.render.helm.values import NO_MATCH

APP = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Application",
    "metadata": {"name": "web", "namespace": "argocd"},
    "spec": {"project": "shop", "source": {"repoURL": "https://git.example/shop", "path": "web"}, "destination": {}},
}


class Looking:
    """As delivery looks, with what its rooms raise."""

    def __init__(self, *, ruling=None, target=None, cluster=None):
        self._ruling, self._target, self._cluster = ruling, target, cluster
        self.ruling = SimpleNamespace(ruled=self._ruled)
        self.tries = 0

    async def _ruled(self, run, at):
        if self._ruling is not None:
            raise self._ruling
        return SimpleNamespace(destination=SimpleNamespace(capabilities=self._capabilities))

    async def _capabilities(self):
        if self._cluster is not None:
            raise self._cluster

    async def tried(self, run, at):
        del run, at
        self.tries += 1
        if self._target is not None:
            raise self._target


CLOSED, BROKEN = "repository not accessible", "Unable to generate manifests in web"
FAULTS = [
    (None, "", "everything is there"),
    (Unauthenticated("Cannot fetch it"), CLOSED, "a password is wanted"),
    (Unreachable("Cannot fetch it"), CLOSED, "nobody answers"),
    (InvalidInput("Cannot render web", why="app path does not exist"), BROKEN, "there is no such folder"),
    (NotFound("Cannot resolve v9"), BROKEN, "there is no such revision"),
    (InvalidInput("Cannot use them", why=f"env/*.yaml {NO_MATCH}"), "", "files for a pattern may come later"),
    (NotYet("outputs are awaited"), "", "what it takes from elsewhere is not there yet"),
    (Throttled("ask later", after_s=5), "", "the server wants to be left alone"),
    (TimedOut("it takes long"), "", "nobody knows yet"),
]


@pytest.mark.parametrize(("raised", "said", "why"), FAULTS, ids=[why for *_, why in FAULTS])
async def test_it_is_known_beforehand_that(raised, said, why):
    looking = Looking(target=raised)
    found = await fault(looking, APP)
    assert found == (f"{said}: {raised}" if said else "")
    assert looking.tries == 1


@pytest.mark.parametrize("where", ["ruling", "cluster"])
async def test_of_its_project_and_its_destination_others_speak(where):
    looking = Looking(**{where: Unreachable("the cluster does not answer")})
    assert await fault(looking, APP) == ""
    assert looking.tries == 0


async def test_a_branch_that_hydrating_will_write_is_not_missed():
    hydrator = {
        "drySource": {"repoURL": "https://git.example/shop", "path": "web", "targetRevision": "main"},
        "syncSource": {"targetBranch": "env", "path": "web"},
    }
    app = {**APP, "spec": {"project": "shop", "sourceHydrator": hydrator, "destination": {}}}
    assert await fault(Looking(target=NotFound("no such branch")), app) == ""


async def test_charts_and_several_sources_are_named():
    several = [
        {"repoURL": "https://git.example/shop", "path": "web"},
        {"repoURL": "https://charts.example", "chart": "redis"},
    ]
    app = {**APP, "spec": {"project": "shop", "sources": several, "destination": {}}}
    assert "in web, redis: " in await fault(Looking(target=NotFound("no such version")), app)
