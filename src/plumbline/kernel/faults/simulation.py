"""A scenario run from a seed: processes that die and come back, people who do things, and a quiet end to compare."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final, NamedTuple, Protocol, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.faults.store import Change, MemoryCluster, Place, Resource
from plumbline.kernel.faults.transport import FaultyTransport, Process, Tally
from plumbline.kernel.faults.weather import CALM, STORM, Dice, Weather
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.queue import LONGEST_BACKOFF_S
from plumbline.kernel.world import World
from plumbline.kube.client import Client, Transport

_RESTART_S: Final = 3.0
_STORM_S: Final = 60.0
"""How long the weather lasts after people have done what they do."""
_QUIET_S: Final = 1.25 * LONGEST_BACKOFF_S
"""Longer than any failing key can wait: who has not come back by then will not."""
_LONGEST_S: Final = 6 * 3600.0
_VOLATILE: Final = frozenset({
    "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "observedGeneration",
    "lastTransitionTime", "deletionTimestamp",
})  # fmt: skip


class Scenario(Protocol):
    """What is simulated. `resources` that are not `counted` (leases, events) are noise."""

    resources: tuple[Resource, ...]
    counted: tuple[str, ...]
    replicas: int

    async def replica(self, client: Client, world: World, name: str) -> None:
        """What one process does from its start on; it never returns by itself."""

    async def people(self, client: Client, world: World) -> None:
        """What people do, one after the other."""


class Cluster(Transport, Protocol):
    """Where a scenario takes place. Nothing that is done to it as a transport goes wrong."""

    @property
    def objects(self) -> Mapping[Place, JsonObject]:
        """Everything that is there now."""

    @property
    def history(self) -> Sequence[Change]:
        """Everything that has changed, oldest first."""


Founded: TypeAlias = Callable[[Scenario, Clock, Ids], AbstractAsyncContextManager[Cluster]]
"""Makes the cluster of one run, on the loop and by the clock of that run."""


def in_memory(scenario: Scenario, clock: Clock, ids: Ids) -> AbstractAsyncContextManager[Cluster]:
    """Just the scenario's resources, with no controller but the scenario's own."""
    return nullcontext(MemoryCluster(scenario.resources, clock, ids))


class Plan(NamedTuple):
    """How one run goes wrong. The seed decides everything that is not said here."""

    seed: int
    weather: Weather = CALM
    kill_at: tuple[int, str] | None = None
    clock_jumps: bool = False


class Result(NamedTuple):
    state: dict[tuple[str, str, str], Json]
    effects: Counter[tuple[str, str]]
    """How many objects of each counted resource were made and deleted."""
    changes: Counter[tuple[str, str, str, str]]
    """How often each counted object was made, changed and deleted: type, resource, namespace and name."""
    updates: int
    writes: int
    deaths: int


def baseline(scenario: Callable[[], Scenario], seed: int = 0, cluster: Founded = in_memory) -> Result:
    """The scenario when nothing goes wrong."""
    return simulate(scenario, Plan(seed), cluster)


def storm(seed: int) -> Plan:
    return Plan(seed, STORM, clock_jumps=True)


def simulate(scenario: Callable[[], Scenario], plan: Plan, cluster: Founded = in_memory) -> Result:
    """One run of *scenario*, as *plan* says, on a cluster that *cluster* makes for it."""

    async def main() -> Result:
        stage, clock = scenario(), LoopClock()
        async with cluster(stage, clock, Ids(plan.seed)) as made:
            return await _Simulation(stage, plan, clock, made).run()

    return run_virtually(main)


def differences(expected: Result, actual: Result) -> list[str]:
    """How *actual* differs from a run in which nothing went wrong; empty if people could not tell."""
    found = [f"{place}: lost" for place in expected.state.keys() - actual.state.keys()]
    found += [f"{place}: too much" for place in actual.state.keys() - expected.state.keys()]
    for place in expected.state.keys() & actual.state.keys():
        if expected.state[place] != actual.state[place]:
            found.append(f"{place}: {actual.state[place]} instead of {expected.state[place]}")
    for effect in expected.effects.keys() | actual.effects.keys():
        if expected.effects[effect] != actual.effects[effect]:
            found.append(f"{' '.join(effect)}: {actual.effects[effect]} times instead of {expected.effects[effect]}")
    return sorted(found)


class _Simulation:
    def __init__(self, scenario: Scenario, plan: Plan, clock: LoopClock, cluster: Cluster) -> None:
        self._scenario = scenario
        self._plan = plan
        self._dice = Dice(plan.seed)
        self._clock = clock
        self._cluster = cluster
        self._transports: list[FaultyTransport] = []
        self._deaths = 0
        self._tally = Tally(plan.kill_at)
        self._weather = plan.weather

    async def run(self) -> Result:
        async with task_group() as group:
            replicas = [group.create_task(self._lives(index)) for index in range(self._scenario.replicas)]
            if self._plan.clock_jumps:
                replicas.append(group.create_task(self._jumps()))
            person = Client(self._cluster, clock=self._clock, ids=Ids(self._plan.seed))
            await self._scenario.people(person, World(self._clock, Ids(self._plan.seed), Metrics()))
            await asyncio.sleep(_STORM_S if self._weather is not CALM else 0)
            self._clear_up()
            await self._quiet()
            for task in replicas:
                task.cancel()
        return self._result()

    async def _lives(self, index: int) -> None:
        """A replica that is started again whenever it dies, as a Deployment would."""
        life = 0
        while True:
            life += 1
            await self._life(f"replica-{index}-{life}", index + 101 * life)
            self._deaths += 1
            await asyncio.sleep(_RESTART_S)

    async def _life(self, name: str, salt: int) -> None:
        process = Process()
        transport = FaultyTransport(self._cluster, process, self._dice, self._tally, self._weather)
        self._transports.append(transport)
        ids = Ids(self._plan.seed * 100_003 + salt)
        client = Client(transport, clock=self._clock, ids=ids)
        world = World(self._clock, ids, Metrics())
        try:
            async with task_group() as group:
                main = group.create_task(_main(self._scenario.replica(client, world, name)))
                process.on_death = lambda: _cancel(main)
        finally:
            process.kill()
            self._transports.remove(transport)

    async def _jumps(self) -> None:
        while True:
            await asyncio.sleep(self._dice.up_to(120.0))
            if self._weather is not CALM:
                self._clock.jump(self._dice.up_to(7200.0) - 3600.0)

    def _clear_up(self) -> None:
        self._weather = CALM
        for transport in self._transports:
            transport.weather = CALM

    async def _quiet(self) -> None:
        """Wait until nothing that counts has changed for a while."""
        until_s = self._clock.monotonic() + _LONGEST_S
        seen, since_s = self._counted_version(), self._clock.monotonic()
        while self._clock.monotonic() < until_s and self._clock.monotonic() - since_s < _QUIET_S:
            await asyncio.sleep(5.0)
            if (now := self._counted_version()) != seen:
                seen, since_s = now, self._clock.monotonic()

    def _counted_version(self) -> int:
        return max((change.version for change in self._cluster.history if self._counts(change.gvr.resource)), default=0)

    def _counts(self, resource: str) -> bool:
        return resource in self._scenario.counted

    def _result(self) -> Result:
        history = [change for change in self._cluster.history if self._counts(change.gvr.resource)]
        effects = Counter((change.type, change.gvr.resource) for change in history if change.type != "MODIFIED")
        objects = self._cluster.objects
        state = {_named(place): stable(objects[place]) for place in objects if self._counts(place[0].resource)}
        changes = Counter((change.type, *_named(_place(change))) for change in history)
        updates = sum(change.type == "MODIFIED" for change in history)
        return Result(state, effects, changes, updates, self._tally.writes, self._deaths)


async def _main(replica: Awaitable[None]) -> None:
    await replica


def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()


def _place(change: Change) -> Place:
    metadata = change.obj["metadata"]
    return change.gvr, metadata.get("namespace", ""), metadata["name"]


def _named(place: Place) -> tuple[str, str, str]:
    return place[0].resource, place[1], place[2]


def stable(value: Json) -> Json:
    """*value* without what differs between any two runs."""
    if isinstance(value, dict):
        kept: JsonObject = {name: stable(child) for name, child in value.items() if name not in _VOLATILE}
        return kept
    return [stable(item) for item in value] if isinstance(value, list) else value
