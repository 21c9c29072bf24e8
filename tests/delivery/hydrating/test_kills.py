"""Killed just before and just after every single write: the branch ends with the same commits, each made once."""

from functools import cache
from types import MappingProxyType

import pytest
from tests.delivery.faults.stage import CONFIG_MAPS, Delivering, People, day
from tests.delivery.town import BY_HAND, config_map

from plumbline.base.json import encode
from plumbline.kernel.faults.simulation import Plan, differences
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Target

from .branching import Branched, hydrated

PARAMETERS = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "argocd-cmd-params-cm"},
    "data": {"hydrator.enabled": "true"},
}


class Hydrating(Delivering):
    """Two applications on one branch, hydrated and synced, and again after a commit."""

    files = MappingProxyType({"web/a.yaml": config_map("a"), "db/b.yaml": config_map("b")})
    remembered = False

    def __init__(self):
        super().__init__()
        self.repository = Branched()
        self.repository.push(self.files)

    async def people(self, client, world):
        people = People(client, self.repository)
        await client.create(Target(CONFIG_MAPS, "argocd"), encode(PARAMETERS), BY_HAND)
        for name in ("web", "db"):
            await client.create(Target(APPLICATION.resource, "argocd"), encode(hydrated(name)), BY_HAND)
        await self._done(people)
        self.repository.change(web__a_yaml=config_map("a", "2"), db__b_yaml=config_map("b", "2"))
        await self._done(people)

    async def _done(self, people):
        async def arrived():
            status = (await people.app() or {}).get("status", {})
            last = status.get("sourceHydrator", {}).get("lastSuccessfulOperation", {})
            return last.get("drySHA") == self.repository.head and _runs(status, last["hydratedSHA"])

        await people.until(arrived)


def _runs(status, sha):
    sync, state = status.get("sync", {}), status.get("operationState", {})
    return sync.get("status") == "Synced" and sync.get("revision") == sha and state.get("phase") == "Succeeded"


@cache
def calm():
    return _day(Plan(0))


def _day(plan):
    made = []

    def scenario():
        made.append(Hydrating())
        return made[-1]

    return day(scenario, plan), made[0].repository


@pytest.mark.parametrize("side", ["before", pytest.param("after", marks=pytest.mark.conformance)])
def test_a_kill_beside_any_write_makes_no_commit_twice_and_loses_none(side):
    expected, branch = calm()
    wanted = [each.files["web/manifest.yaml"] for each in branch.proposals if "web/manifest.yaml" in each.files]
    assert len(wanted) == 2
    wrong = {}
    for number in range(1, expected.result.writes + 1):
        actual, repository = _day(Plan(3, kill_at=(number, side)))
        found = [each.files["web/manifest.yaml"] for each in repository.proposals if "web/manifest.yaml" in each.files]
        files = {branch.files("env/dev")[name] == repository.files("env/dev")[name] for name in ("web/manifest.yaml", "db/manifest.yaml")}  # fmt: skip
        left_out = ("operationState", "history", "sync", "sourceHydrator")
        odd = differences(expected.without_records(*left_out), actual.without_records(*left_out))
        status = actual.application["status"]
        last = status["sourceHydrator"]
        if found != wanted or files != {True} or odd or not _runs(status, repository.branches["env/dev"]):
            wrong[number] = (len(found), odd)
        if last["currentOperation"]["phase"] != "Hydrated" or last["currentOperation"]["drySHA"] != repository.head:
            wrong[number] = last
    assert wrong == {}
