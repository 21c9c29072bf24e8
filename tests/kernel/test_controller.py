"""The loop: one write per change, none for nothing, and one bad object is only its own problem."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from plumbline.base.errors import Conflict, NotFound, ServerFault, Throttled, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.cache import Cache, Relevance, cached
from plumbline.kernel.conditions import Conditions
from plumbline.kernel.controller import Controller
from plumbline.kernel.faults.store import MemoryCluster, Resource
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.outcomes import Done, Stuck, Wait
from plumbline.kernel.reconciler import Reconciler, reports
from plumbline.kernel.records import ClientRecords
from plumbline.kernel.world import World
from plumbline.kinds.kind import NoStatus
from plumbline.kube.client import Client, Target

from .sample import EVENTS, MIRROR, mirror


class Counting:
    """A transport that counts what passes."""

    def __init__(self, inner):
        self._inner = inner
        self.sent = Counter()

    async def send(self, request):
        kind = "status" if request.path.endswith("/status") else "object"
        self.sent[request.method, kind] += 1
        return await self._inner.send(request)

    async def close(self): ...


class Scripted(Reconciler):
    """Does what the test says."""

    name = "scripted"
    kind = MIRROR
    owns = Conditions(reports=("Thought",))

    def __init__(self, think, finalizer="", teardown=None):
        self.looks = []
        self.finalizer = finalizer

        @reports("Thought")
        async def step(run, at):
            self.looks.append(run.read.ref.name)
            return await think(run)

        self.steps = (step,)
        self.teardown = (teardown,) if teardown else ()

    def status(self, run, at):
        return {"copies": at}


class Bench:
    def __init__(self, mirrors=Resource(MIRROR.resource, "Mirror")):  # noqa: B008 - a value, never changed
        self.clock = LoopClock()
        self.cluster = MemoryCluster((mirrors, Resource(EVENTS, "Event")), self.clock, Ids(1))
        self.transport = Counting(self.cluster)
        self.client = Client(self.transport, clock=self.clock, ids=Ids(1))
        self.person = Client(self.cluster, clock=self.clock, ids=Ids(2))
        self.mirrors = Target(MIRROR.resource, "default")

    async def run(self, reconciler, people, *, settle_s=5.0):
        world = World(self.clock, Ids(1), Metrics())
        informer = Informer(self.client, Target(MIRROR.resource), cache=Cache(Relevance(status=False)))
        controller = self.controller = Controller(
            reconciler, informer, ClientRecords(self.client, self.clock, "test"), world
        )
        async with task_group() as group:
            following = group.create_task(informer.run())
            working = group.create_task(controller.run(workers=2))
            await people()
            await self.clock.sleep(settle_s)
            controller.drain()
            await working
            following.cancel()
        return world.metrics

    async def make(self, name="m", **spec):
        obj = mirror(name, "t", 1)
        obj["spec"] |= spec
        await self.person.create(self.mirrors, encode(obj))

    def mirror(self, name="m"):
        return self.cluster.objects[MIRROR.resource, "default", name]

    def ready(self, name="m"):
        conditions = {each["type"]: each for each in self.mirror(name)["status"]["conditions"]}
        return conditions["Ready"]["status"], conditions["Ready"]["reason"]

    def events(self):
        return [
            (obj["reason"], obj["type"]) for (gvr, _, _), obj in sorted(self.cluster.objects.items()) if gvr == EVENTS
        ]

    def writes(self, kind="status"):
        return self.transport.sent["PUT", kind]


def virtually(story):
    def run():
        async def main():
            async with asyncio.timeout(100_000):
                await story(Bench())

        run_virtually(main)

    run.__name__ = story.__name__
    return run


async def well(run):
    return run.spec.copies


@virtually
async def test_a_new_object_costs_one_look_one_status_and_one_event(bench):
    reconciler = Scripted(well)
    await bench.run(reconciler, bench.make)
    assert reconciler.looks == ["m"]
    assert bench.writes() == 1
    assert bench.ready() == ("True", "Succeeded")
    assert bench.mirror()["status"]["copies"] == 1
    assert bench.mirror()["status"]["observedGeneration"] == 1
    assert bench.events() == [("Succeeded", "Normal")]


@virtually
async def test_looking_again_at_what_is_well_writes_nothing(bench):
    async def think(run):
        return Done(after_s=10)

    reconciler = Scripted(think)
    await bench.run(reconciler, bench.make, settle_s=95)
    assert len(reconciler.looks) == 10
    assert (bench.writes(), len(bench.events())) == (1, 1)


@virtually
async def test_a_change_that_does_not_matter_is_not_looked_at(bench):
    reconciler = Scripted(well)

    async def people():
        await bench.make()
        await bench.clock.sleep(3)
        for _ in range(5):
            same = {"metadata": {"managedFields": None}}
            await bench.person.patch(bench.mirrors._replace(name="m"), encode(same), "merge")

    await bench.run(reconciler, people)
    assert len(reconciler.looks) == 1


@virtually
async def test_a_status_that_somebody_else_wrote_is_put_right(bench):
    reconciler = Scripted(well)

    async def people():
        await bench.make()
        await bench.clock.sleep(3)
        broken = encode({"status": {"copies": 99, "conditions": []}})
        await bench.person.patch(bench.mirrors._replace(name="m", subresource="status"), broken, "merge")

    await bench.run(reconciler, people)
    assert bench.mirror()["status"]["copies"] == 1
    assert bench.ready() == ("True", "Succeeded")


@virtually
async def test_waiting_says_for_what_and_looks_again(bench):
    async def think(run):
        return Wait("NoParts", "The parts are not there yet", after_s=20)

    reconciler = Scripted(think)
    await bench.run(reconciler, bench.make, settle_s=50)
    assert bench.ready() == ("Unknown", "NoParts")
    assert len(reconciler.looks) == 3
    assert bench.writes() == 1


@virtually
async def test_what_is_stuck_is_left_alone_until_somebody_changes_it(bench):
    async def think(run):
        return Stuck("Wrong", "It is wrong") if run.spec.copies == 1 else run.spec.copies

    reconciler = Scripted(think)

    async def people():
        await bench.make()
        await bench.clock.sleep(86_400)
        assert len(reconciler.looks) == 1
        await bench.person.patch(bench.mirrors._replace(name="m"), encode({"spec": {"copies": 2}}), "merge")

    await bench.run(reconciler, people)
    assert bench.ready() == ("True", "Succeeded")
    assert sorted(bench.events()) == [("Succeeded", "Normal"), ("Wrong", "Warning")]


@pytest.mark.parametrize(
    ("error", "reason", "why"),
    [
        (ServerFault("boom"), "ServerFault", "comes and goes"),
        (Throttled("slow down", after_s=3), "Throttled", "told to wait"),
        (ZeroDivisionError("secret: hunter2"), "InternalError", "a bug"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_errors_become_conditions_and_are_tried_again_with_patience(error, reason, why):
    async def main():
        bench = Bench()

        async def think(run):
            if len(reconciler.looks) < 4:
                raise error
            return 1

        reconciler = Scripted(think)
        await bench.run(reconciler, bench.make, settle_s=4)
        assert bench.ready() == ("Unknown", reason)
        assert "hunter2" not in str(bench.mirror())
        assert 2 <= len(reconciler.looks) <= 3

    run_virtually(main)


@virtually
async def test_a_refusal_is_stuck_with_its_own_reason(bench):
    async def think(run):
        raise NotFound("There is no such thing")

    await bench.run(Scripted(think), bench.make)
    assert bench.ready() == ("False", "NotFound")


@virtually
async def test_a_conflict_is_nobodys_news(bench):
    async def think(run):
        if len(reconciler.looks) < 3:
            raise Conflict("somebody was faster")
        return 1

    reconciler = Scripted(think)
    await bench.run(reconciler, bench.make)
    assert (bench.writes(), bench.ready()) == (1, ("True", "Succeeded"))


@virtually
async def test_poison_that_is_there_at_the_start_gets_a_condition_and_nothing_else_waits(bench):
    poison = mirror("poison", "t", 1) | {"spec": {"text": 3, "copies": "many"}}
    await bench.person.create(bench.mirrors, encode(poison))
    await bench.person.create(bench.mirrors, encode(mirror("nospec", "t", 1) | {"spec": "odd", "status": "odd"}))
    reconciler = Scripted(well)
    await bench.run(reconciler, bench.make)
    assert reconciler.looks == ["m"]
    assert bench.ready("poison") == ("False", "InvalidSpec")
    assert bench.ready("nospec") == ("False", "InvalidSpec")
    assert bench.ready("m") == ("True", "Succeeded")


@virtually
async def test_who_counts_looks_cannot_stop_them(bench):
    async def people():
        def odd(key, took_s):
            raise ValueError(key, took_s)

        bench.controller.looked = odd
        for name in ("a", "b", "c"):
            await bench.make(name)

    reconciler = Scripted(well)
    await bench.run(reconciler, people)
    assert sorted(reconciler.looks) == ["a", "b", "c"]
    assert bench.ready("c") == ("True", "Succeeded")


@virtually
async def test_huge_annotations_and_unknown_fields_are_no_obstacle(bench):
    odd = mirror("odd", "t", 1)
    odd["metadata"]["annotations"] = {"example.org/blob": "x" * 1_500_000}
    odd["spec"]["unheardOf"] = {"deep": [1, None, {}]}
    odd["extra"] = 1
    await bench.person.create(bench.mirrors, encode(odd))
    reconciler = Scripted(well)
    await bench.run(reconciler, bench.make)
    assert sorted(reconciler.looks) == ["m", "odd"]
    assert bench.ready("odd") == ("True", "Succeeded")
    assert bench.mirror("odd")["spec"]["unheardOf"] == {"deep": [1, None, {}]}, "what we do not know is kept"


@pytest.mark.parametrize(
    "spec", [{"text": "t", "copies": 10**30}, {"text": "t", "copies": -1.5}, {"text": "t"}, [], None]
)
def test_numbers_beyond_reason_and_missing_fields_are_that_objects_problem(spec):
    async def main():
        bench = Bench()
        await bench.person.create(bench.mirrors, encode(mirror("bad", "t", 1) | {"spec": spec}))
        reconciler = Scripted(well)
        await bench.run(reconciler, bench.make)
        assert bench.ready("bad") == ("False", "InvalidSpec")
        assert reconciler.looks == ["m"]

    run_virtually(main)


@virtually
async def test_the_finalizer_is_on_before_anything_is_done_and_goes_after_everything_is_undone(bench):
    undone = []

    async def think(run):
        assert "f/f" in run.object["metadata"]["finalizers"]
        return 1

    async def undo(run, at):
        undone.append(run.deleting)
        return Wait("StillThere", "Not gone yet", after_s=5) if len(undone) == 1 else 0

    async def people():
        await bench.make()
        await bench.clock.sleep(5)
        await bench.person.delete(bench.mirrors._replace(name="m"))
        await bench.clock.sleep(2)
        assert bench.mirror()["metadata"]["finalizers"] == ["f/f"]

    await bench.run(Scripted(think, "f/f", undo), people, settle_s=20)
    assert undone == [True, True]
    assert (MIRROR.resource, "default", "m") not in bench.cluster.objects


@virtually
async def test_draining_finishes_what_was_begun(bench):
    finished = []

    async def think(run):
        await bench.clock.sleep(30)
        finished.append(run.read.ref.name)
        return 1

    await bench.run(Scripted(think), bench.make, settle_s=1)
    assert finished == ["m"]


@virtually
async def test_what_happened_in_a_step_is_told_once(bench):
    async def think(run):
        run.tell("Moved", "Moved the thing", warning=True)
        return Done(after_s=10)

    await bench.run(Scripted(think), bench.make, settle_s=25)
    assert bench.events().count(("Moved", "Warning")) <= 2, "again only when the object is another version"


@virtually
async def test_what_few_looks_tell_is_written_at_once_and_what_a_rush_tells_once_it_is_over(bench):
    written = []

    async def people():
        for number in range(60):
            await bench.make(f"m{number}")
            await bench.clock.sleep(0.02)
            written.append(len(bench.events()))

    await bench.run(Scripted(well), people)
    assert written[:9] == list(range(1, 10))
    assert written[-1] == written[20] < 20
    assert len(bench.events()) == 60


@virtually
async def test_a_record_that_cannot_be_written_is_tried_again(bench):
    reconciler = Scripted(well)
    refusals = []

    async def refuse(target, obj, status):
        refusals.append(1)
        if len(refusals) < 3:
            raise ServerFault("no")
        return await written(target, obj, status)

    async def people():
        nonlocal written
        written = bench.controller._records.write
        bench.controller._records.write = refuse
        await bench.make()

    written = None
    await bench.run(reconciler, people, settle_s=20)
    assert bench.ready() == ("True", "Succeeded")
    assert len(refusals) == 3


@pytest.mark.parametrize("error", [Unreachable("no answer"), Conflict("it was you")], ids=["lost", "repeated"])
def test_after_a_record_of_which_nobody_knows_how_it_ended_no_look_is_at_an_older_form(error):
    """The watch says nothing all the while: what a copy has not heard of yet must not be decided upon."""

    async def main():
        bench, seen = Bench(), []

        async def think(run):
            seen.append(int(run.object["metadata"]["resourceVersion"]))
            return 1

        async def unheard(target, obj, status):
            reply = await written(target, obj, status)
            if len(seen) == 1:
                raise error
            return reply

        async def people():
            nonlocal written
            await bench.make()
            written, bench.controller._records.write = bench.controller._records.write, unheard
            informer = bench.controller._informer
            await informer.synced()
            informer._take = lambda event: None

        written = None
        await bench.run(Scripted(think), people, settle_s=30)
        assert len(seen) == 2, "one more look, and that is enough"
        assert seen[1] > seen[0]

    run_virtually(main)


@virtually
async def test_outcomes_are_counted(bench):
    metrics = await bench.run(Scripted(well), bench.make)
    count = metrics.registry.get_sample_value
    assert count("plumbline_reconcile_outcomes_total", {"controller": "scripted", "outcome": "done"}) == 1
    assert count("plumbline_queue_wait_seconds_count", {"controller": "scripted"}) == 1


def test_a_status_that_is_part_of_the_object_is_written_with_it():
    async def main():
        bench = Bench(Resource(MIRROR.resource, "Mirror", status_apart=False))
        reconciler = Scripted(well)
        reconciler.kind = replace(MIRROR, versions=(replace(MIRROR.versions[0], status_apart=False),))
        await bench.run(reconciler, bench.make)
        assert bench.ready() == ("True", "Succeeded")
        assert (bench.writes("status"), bench.writes("object")) == (0, 1)
        assert reconciler.looks == ["m"]

    run_virtually(main)


@virtually
async def test_a_key_that_is_gone_before_its_turn_is_forgotten(bench):
    reconciler = Scripted(well)

    async def people():
        await bench.clock.sleep(1)
        bench.controller.wake(("default", "never-was"))

    await bench.run(reconciler, people)
    assert reconciler.looks == []


def test_a_status_without_room_for_conditions_is_refused_at_once():
    class Bare(Reconciler):
        name = "bare"
        kind = replace(MIRROR, versions=(replace(MIRROR.versions[0], status=NoStatus),))

    bench = Bench()
    informer = Informer(bench.client, Target(MIRROR.resource))
    with pytest.raises(TypeError, match="ObservedStatus"):
        Controller(Bare(), informer, None, World(bench.clock, Ids(1), Metrics()))


def test_a_shared_key_is_never_looked_at_in_an_older_form_than_somebody_acted_on():
    def version(number):
        raw = encode({"metadata": {"name": "m", "namespace": "n", "uid": "u", "resourceVersion": str(number)}})
        return cached(raw, Relevance())

    class Behind(Informer):
        fetches = 0

        async def fetched(self, key):
            self.fetches += 1
            return version(9)

    async def main():
        bench = Bench()
        informer = Behind(bench.client, Target(MIRROR.resource))
        controller = Controller(
            Scripted(well), informer, None, World(bench.clock, Ids(1), Metrics()), mine=lambda _: True
        )
        seen = [(await controller._newest(("n", "m"), version(at))).meta.resource_version for at in (5, 5, 9, 12, 11)]
        assert seen == ["9", "9", "9", "12", "9"]
        assert informer.fetches == 3
        controller.wake_all()
        await controller._newest(("n", "m"), version(12))
        assert informer.fetches == 4, "after a change of hands the copy is not believed"

    run_virtually(main)
