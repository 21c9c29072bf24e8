"""What the verbs promise whoever calls them, whatever happens in between."""

import asyncio
import functools
from datetime import datetime

import msgspec
import pytest

from plumbline.apiserver.calls import Call
from plumbline.apiserver.objects import creation
from plumbline.apiserver.objects.admission import Attributes, NoAdmission, Operation
from plumbline.apiserver.objects.metadata import GENERATED_BASE, metadata_of
from plumbline.apiserver.objects.reservations import NoReservations
from plumbline.apiserver.objects.revisions import revision_of
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.base.errors import StorageFailed
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually

CM = "/api/v1/namespaces/default/configmaps"
POD = "/api/v1/namespaces/default/pods"
MERGE = "application/merge-patch+json"


class SlowLedger:
    """A disk that takes its time; it may fail."""

    def __init__(self) -> None:
        self.fails = False
        self.batches: list[int] = []

    async def write(self, changes):
        await asyncio.sleep(0.01)
        if self.fails:
            raise StorageFailed("the disk is full")
        self.batches.append(len(changes))


class Stage:
    def __init__(self, ledger=None, **options) -> None:
        self.plane = Plane(
            LoopClock(), Ids(5), ledger=ledger, controllers=False, disabled_plugins=("ServiceAccount",), **options
        )

    async def ask(self, method, path, body=None, query="", type_="application/json"):
        headers = {"content-type": type_, "user-agent": "test/1"}
        payload = b"" if body is None else encode(body)
        answer = await self.plane.answer(Call(method, path, query, headers, payload, identity=ADMIN))
        return answer.status, decode(answer.body)


def staged(test):
    @functools.wraps(test)
    def run():
        async def main():
            ledger = SlowLedger()
            stage = Stage(ledger)
            stage.ledger = ledger
            async with stage.plane.running():
                await test(stage)

        run_virtually(main)

    del run.__wrapped__
    return run


def config(name, **data):
    return {"metadata": {"name": name}, "data": data}


@staged
async def test_patches_that_meet_all_take_place(stage):
    await stage.ask("POST", CM, config("a"))
    replies = await asyncio.gather(
        *(stage.ask("PATCH", f"{CM}/a", {"data": {f"k{n}": "v"}}, type_=MERGE) for n in range(20))
    )
    assert {status for status, _ in replies} == {200}
    _, found = await stage.ask("GET", f"{CM}/a")
    assert len(found["data"]) == 20
    revisions = {int(body["metadata"]["resourceVersion"]) for _, body in replies}
    assert len(revisions) == 20


@staged
async def test_of_updates_that_saw_the_same_one_wins(stage):
    _, made = await stage.ask("POST", CM, config("a"))
    replies = await asyncio.gather(*(stage.ask("PUT", f"{CM}/a", {**made, "data": {"n": str(n)}}) for n in range(5)))
    assert sorted(status for status, _ in replies) == [200, 409, 409, 409, 409]


@staged
async def test_of_creates_under_one_name_one_wins(stage):
    replies = await asyncio.gather(*(stage.ask("POST", CM, config("a", n=str(n))) for n in range(5)))
    assert sorted(status for status, _ in replies) == [201, 409, 409, 409, 409]


@staged
async def test_of_deletions_that_meet_all_are_content_or_told_that_it_is_gone(stage):
    await stage.ask("POST", CM, config("a"))
    replies = await asyncio.gather(*(stage.ask("DELETE", f"{CM}/a") for _ in range(5)))
    assert sorted(status for status, _ in replies) == [200, 404, 404, 404, 404]


@staged
async def test_a_deletion_that_meets_writes_wins_in_the_end(stage):
    await stage.ask("POST", CM, config("a"))
    writes = (stage.ask("PATCH", f"{CM}/a", {"data": {f"k{n}": "v"}}, type_=MERGE) for n in range(10))
    replies = await asyncio.gather(*writes, stage.ask("DELETE", f"{CM}/a"))
    assert replies[-1][0] == 200
    assert (await stage.ask("GET", f"{CM}/a"))[0] == 404


@staged
async def test_a_write_that_the_disk_refuses_never_happened(stage):
    await stage.ask("POST", CM, config("a", k="v"))
    stage.ledger.fails = True
    status, said = await stage.ask("PUT", f"{CM}/a", config("a", k="w"))
    assert (status, said["message"]) == (500, "Internal error occurred: the disk is full")
    stage.ledger.fails = False
    assert (await stage.ask("GET", f"{CM}/a"))[1]["data"] == {"k": "v"}
    assert (await stage.ask("PUT", f"{CM}/a", config("a", k="x")))[0] == 200


@staged
async def test_writes_that_meet_go_to_disk_together(stage):
    stage.ledger.batches.clear()
    await asyncio.gather(*(stage.ask("POST", CM, config(f"m-{n}")) for n in range(50)))
    assert sum(stage.ledger.batches) == 50
    assert len(stage.ledger.batches) <= 3


class FewSuffixes(Ids):
    """Draws the same few names again and again."""

    def __init__(self, *suffixes: str) -> None:
        super().__init__(1)
        self.suffixes = list(suffixes)

    def suffix(self, length: int = 5) -> str:
        return self.suffixes.pop(0)


@staged
async def test_a_made_name_that_is_taken_is_made_again(stage):
    generated = {"metadata": {"generateName": "g-"}}
    ids = FewSuffixes("aaaaa", "aaaaa", "aaaaa", "bbbbb", *["aaaaa"] * creation.NAME_ATTEMPTS)
    plane = stage.plane
    plane.context = msgspec.structs.replace(plane.context, ids=ids)
    plane._door = plane._made_door(Ids(2), plane.context.clock)
    assert (await stage.ask("POST", CM, generated))[1]["metadata"]["name"] == "g-aaaaa"
    assert (await stage.ask("POST", CM, generated))[1]["metadata"]["name"] == "g-bbbbb"
    status, said = await stage.ask("POST", CM, generated)
    assert (status, said["reason"]) == (409, "AlreadyExists")
    assert said["details"]["retryAfterSeconds"] == 1
    assert ids.suffixes == []


@staged
async def test_a_made_name_keeps_the_beginning_of_a_long_base(stage):
    _, made = await stage.ask("POST", CM, {"metadata": {"generateName": "x" * 100}})
    assert len(made["metadata"]["name"]) == GENERATED_BASE + 5


@staged
async def test_dry_runs_use_no_revision(stage):
    await stage.ask("POST", CM, config("a"))
    before = stage.plane.store.revision
    for method, path, body in (
        ("POST", CM, config("b")),
        ("PUT", f"{CM}/a", config("a", k="v")),
        ("DELETE", f"{CM}/a", {"dryRun": ["All"]}),
        ("DELETE", CM, {"dryRun": ["All"]}),
    ):
        status, _ = await stage.ask(method, path, body, "dryRun=All")
        assert status < 300, (method, path)
    status, _ = await stage.ask("PATCH", f"{CM}/a", {"data": {"k": "v"}}, "dryRun=All", MERGE)
    assert status == 200
    assert stage.plane.store.revision == before


def pod(name, **spec):
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "x"}], "nodeName": "n", **spec}}


def due(obj):
    return datetime.fromisoformat(obj["metadata"]["deletionTimestamp"])


@staged
async def test_a_pod_is_due_when_its_grace_is_over(stage):
    await stage.ask("POST", POD, pod("p", terminationGracePeriodSeconds=40))
    now = stage.plane.context.clock.now().replace(microsecond=0)
    _, going = await stage.ask("DELETE", f"{POD}/p")
    assert (due(going) - now).total_seconds() == 40
    assert going["metadata"]["generation"] == 2
    _, sooner = await stage.ask("DELETE", f"{POD}/p", {"gracePeriodSeconds": 10})
    assert (due(sooner) - now).total_seconds() == 10
    assert sooner["metadata"]["generation"] == 2
    _, same = await stage.ask("DELETE", f"{POD}/p", {"gracePeriodSeconds": 30})
    assert same["metadata"] == sooner["metadata"], "only a shorter one counts"


@staged
async def test_a_grace_that_is_over_cannot_be_shortened_into_the_past(stage):
    await stage.ask("POST", POD, pod("p", terminationGracePeriodSeconds=100))
    await stage.ask("DELETE", f"{POD}/p")
    await asyncio.sleep(60)
    now = stage.plane.context.clock.now().replace(microsecond=0)
    _, late = await stage.ask("DELETE", f"{POD}/p", {"gracePeriodSeconds": 30})
    assert due(late) == now
    assert late["metadata"]["deletionGracePeriodSeconds"] == 1


@staged
async def test_no_grace_is_the_end(stage):
    await stage.ask("POST", POD, pod("p"))
    await stage.ask("DELETE", f"{POD}/p")
    status, last = await stage.ask("DELETE", f"{POD}/p", {"gracePeriodSeconds": 0})
    assert (status, last["metadata"]["deletionGracePeriodSeconds"]) == (200, 0)
    assert (await stage.ask("GET", f"{POD}/p"))[0] == 404


@staged
async def test_a_collection_that_changes_while_it_is_deleted_goes_all_the_same(stage):
    for name in "abc":
        await stage.ask("POST", CM, config(name))
    both = await asyncio.gather(stage.ask("DELETE", CM), stage.ask("DELETE", CM), stage.ask("DELETE", f"{CM}/b"))
    assert {status for status, _ in both} <= {200, 404}
    assert (await stage.ask("GET", CM))[1]["items"] == []


async def test_where_nobody_is_asked_everything_passes():
    nobody = NoAdmission()
    attributes = Attributes(None, Operation.CREATE, {"a": 1})
    assert await nobody.mutated(attributes) == {"a": 1}
    assert await nobody.check(attributes) is None
    with NoReservations().held(None, {"a": 1}, None) as held:
        assert held == {"a": 1}


def test_metadata_that_is_none_is_empty():
    assert metadata_of({"metadata": "x"}) == {}
    assert metadata_of({}) == {}


@pytest.mark.parametrize(("text", "expected"), [("", None), ("0", 0), ("7", 7), (str(2**64 - 1), 2**64 - 1)])
def test_revisions_are_numbers(text, expected):
    assert revision_of(text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", 'strconv.ParseUint: parsing "x": invalid syntax'),
        ("-1", 'strconv.ParseUint: parsing "-1": invalid syntax'),
        ("\u0661", 'strconv.ParseUint: parsing "\u0661": invalid syntax'),
        (str(2**64), f'strconv.ParseUint: parsing "{2**64}": value out of range'),
        ("9" * 100_000, "value out of range"),
    ],
)
def test_what_is_no_revision_is_refused_in_gos_words(text, why):
    with pytest.raises(ValueError, match="strconv") as refused:
        revision_of(text)
    assert why in str(refused.value)
