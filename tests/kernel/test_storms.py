"""The sample controller under the fault kit: people cannot tell a storm from a calm day, and planted bugs are found."""

import pytest

from plumbline.base.errors import AlreadyExists, Conflict, NotFound
from plumbline.base.json import decode, encode
from plumbline.kernel.faults.simulation import Plan, baseline, differences, simulate, storm
from plumbline.kernel.faults.weather import Weather
from plumbline.kube.client import Selection, Target

from .sample import AS_US, CONFIG_MAPS, MirrorReconciler, MirrorScenario, ShardedScenario

STORMS = 60


def storms(count):
    """A third of them at once; the others, which differ in the dice alone, go with the slow tests."""
    for seed in range(1, count + 1):
        yield pytest.param(seed, marks=() if seed <= count // 3 else pytest.mark.conformance)


@pytest.fixture(scope="module")
def calm():
    return baseline(MirrorScenario)


def test_a_calm_day_is_the_same_every_time(calm):
    assert differences(calm, baseline(MirrorScenario, seed=7)) == []
    assert calm.deaths == 0


@pytest.mark.parametrize("seed", list(storms(STORMS)))
def test_nothing_is_lost_and_nothing_done_twice_in_a_storm(calm, seed):
    assert differences(calm, simulate(MirrorScenario, storm(seed))) == []


def test_the_same_seed_is_the_same_storm():
    assert simulate(MirrorScenario, storm(5)) == simulate(MirrorScenario, storm(5))


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("write", range(1, 31))
def test_every_write_survives_being_killed_just_before_and_just_after_it(calm, write, side):
    result = simulate(MirrorScenario, Plan(3, kill_at=(write, side)))
    assert result.deaths == 1
    assert differences(calm, result) == []


@pytest.mark.parametrize(
    "weather",
    [
        Weather(lost_reply=0.3),
        Weather(lost_request=0.3),
        Weather(conflict=0.3),
        Weather(throttled=0.3),
        Weather(server_error=0.3),
        Weather(stale_read=0.5),
        Weather(watch_closed=0.5),
        Weather(watch_expired=0.5),
        Weather(event_repeated=0.9),
        Weather(event_skipped=0.9, event_delay_s=20),
        Weather(events_swapped=0.5, event_delay_s=20),
        Weather(event_delay_s=60),
        Weather(paused=0.2),
    ],
    ids=lambda weather: ",".join(name for name in weather.__struct_fields__ if getattr(weather, name) != getattr(Weather(), name)),
)  # fmt: skip
def test_any_one_kind_of_fault_alone_however_often(calm, weather):
    for seed in range(3):
        assert differences(calm, simulate(MirrorScenario, Plan(seed, weather))) == []


@pytest.mark.parametrize("seed", list(storms(STORMS // 2)))
def test_replicas_that_share_the_keys_weather_a_storm_as_one_leader_does(calm, seed):
    assert differences(calm, simulate(ShardedScenario, storm(seed))) == []


class NamesAtRandom(MirrorReconciler):
    """Planted: a lost reply makes a second copy, because the name does not say what it is for."""

    async def copy(self, run, at):
        namespace, name = run.read.ref.namespace, run.read.ref.name
        found = await self._client.list(Target(CONFIG_MAPS, namespace), Selection(labels=f"mirror={name}"))
        for _ in range(run.spec.copies - len(found.items)):
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": f"{name}-", "labels": {"mirror": name}}, "data": {"text": run.spec.text}}  # fmt: skip
            await self._client.create(Target(CONFIG_MAPS, namespace), encode(body), AS_US)
        return run.spec.copies


class PaysTwice(MirrorReconciler):
    """Planted: the coin is taken in one write and noted in another."""

    async def pay(self, run, at):
        account = Target(CONFIG_MAPS, run.read.ref.namespace, "account")
        try:
            live = decode(await self._client.get(account))
        except NotFound:
            return await super().pay(run, at)
        paid = live["data"].get("paid", "").split()
        if run.read.ref.name in paid:
            return 0
        coins = {**live["data"], "coins": str(int(live["data"]["coins"]) - 1)}
        live = decode(await self._client.update(account, encode({**live, "data": coins}), AS_US))
        noted = {**live["data"], "paid": " ".join(sorted([*paid, run.read.ref.name]))}
        await self._client.update(account, encode({**live, "data": noted}), AS_US)
        return 0


class ForgetsToClean(MirrorReconciler):
    """Planted: without a finalizer, what was made while nobody led is never unmade."""

    finalizer = ""


class OverwritesBlindly(MirrorReconciler):
    """Planted: the balance is written without the version that was read, so two leaders' coins become one."""

    async def pay(self, run, at):
        account = Target(CONFIG_MAPS, run.read.ref.namespace, "account")
        try:
            live = decode(await self._client.get(account))
        except NotFound:
            return await super().pay(run, at)
        paid = live["data"].get("paid", "").split()
        if run.read.ref.name in paid:
            return 0
        data = {"coins": str(int(live["data"]["coins"]) - 1), "paid": " ".join(sorted([*paid, run.read.ref.name]))}
        await self._client.patch(account, encode({"data": data}), "merge", AS_US)
        return 0


class GivesUpOnConflict(MirrorReconciler):
    """Planted: an error that means "look again" is taken for success."""

    async def copy(self, run, at):
        try:
            return await super().copy(run, at)
        except (Conflict, AlreadyExists):
            return run.spec.copies


PLANTED = [NamesAtRandom, PaysTwice, ForgetsToClean, OverwritesBlindly, GivesUpOnConflict]


@pytest.mark.parametrize("bug", PLANTED, ids=lambda bug: bug.__name__)
def test_a_planted_bug_is_found(calm, bug):
    class Scenario(MirrorScenario):
        reconciler = bug

    for seed in range(1, 200):
        if differences(calm, simulate(Scenario, storm(seed))):
            return
    pytest.fail(f"{bug.__name__} survived 200 storms")
