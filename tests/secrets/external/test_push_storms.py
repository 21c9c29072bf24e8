"""Lost replies, conflicts and kills: what is pushed ends as the Secret has it, and nothing of ours is left behind."""

import asyncio
from functools import cache

import pytest
from tests.secrets.external.scene import HOME, PUSHES, condition, generator, push, secret, store, stored
from tests.secrets.external.test_storms import Day, on_a_plane

from plumbline.base.errors import NotFound
from plumbline.kernel.faults.simulation import Plan, simulate, storm
from plumbline.kube.client import Target

GONE = ("password", "remote/gone")


class PushDay(Day):
    """Values are pushed, changed, and taken out again; one of them is made up, and somebody else's is in the way."""

    counted = ()
    last = None

    def __init__(self):
        super().__init__()
        PushDay.last = self

    async def people(self, client, world):
        del world
        self.client = client
        self.vault.kept["theirs"] = "untouched"
        made = push("made", "", ("password", "made"), selector={"generatorRef": {"kind": "Password", "name": "gen"}})
        for obj in (store(), generator("Password"), made, secret(user="ann", password="x")):
            await self._apply(obj)
        await self._apply(push("kept", "app", ("user", "remote/db", "user"), GONE, deletionPolicy="Delete"))
        await self._apply(push("going", "app", ("user", "remote/going"), deletionPolicy="Delete"))
        await self._apply(push("blocked", "app", ("user", "theirs")))
        await self._holds("remote/db", {"user": "ann"})
        await self._holds("remote/going", "ann")
        await self._apply(secret(user="bob", password="x"))
        await self._holds("remote/db", {"user": "bob"})
        await self._apply(push("kept", "app", ("user", "remote/db", "user"), deletionPolicy="Delete"))
        await self._holds("remote/gone", None)
        await client.delete(Target(PUSHES, HOME, "going"))
        await self._holds("remote/going", None)
        await asyncio.sleep(60)

    async def _holds(self, key, value):
        for _ in range(3600):
            if self.vault.kept.get(key) == value:
                return
            await asyncio.sleep(1)
        raise AssertionError(f"{key} is not as it should be")

    async def _apply(self, obj):
        try:
            await super()._apply(obj)
        except NotFound:
            raise AssertionError(obj["kind"]) from None


def lived(plan=Plan(0)):  # noqa: B008 - a plan is a value
    stored()
    return simulate(PushDay, plan, on_a_plane), PushDay.last


@cache
def calm():
    return lived()


def _check(day):
    kept = {key: value for key, value in day.vault.kept.items() if key not in {"db", "made"}}
    assert kept == {"theirs": "untouched", "remote/db": {"user": "bob"}}
    assert len(day.vault.kept["made"]) == 24
    found = {
        name: obj for (resource, _, name), obj in day.cluster.objects.items() if resource.resource == PUSHES.resource
    }
    assert {name: condition(obj)["status"] for name, obj in found.items()} == {
        "kept": "True",
        "made": "True",
        "blocked": "False",
    }


def test_a_calm_day_pushes_everything_once():
    _, day = calm()
    _check(day)
    assert day.vault.pushes == {"remote/db": 2, "remote/gone": 2, "remote/going": 3, "made": 1}


@pytest.mark.parametrize("seed", [1, 2])
def test_a_storm_ends_where_a_calm_day_does(seed):
    _, day = lived(storm(seed))
    _check(day)


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("write", [4, 7, 12])
def test_a_kill_beside_some_writes_leaves_nothing_behind(side, write):
    _, day = lived(Plan(1, kill_at=(write, side)))
    _check(day)


@pytest.mark.conformance
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_kill_beside_any_write_leaves_nothing_behind(side):
    for write in range(1, calm()[0].writes + 1):
        _, day = lived(Plan(1, kill_at=(write, side)))
        _check(day)
