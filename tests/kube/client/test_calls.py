import itertools

import pytest

from plumbline.base.errors import (
    Conflict,
    GarbledReply,
    PlumblineError,
    ServerFault,
    Throttled,
    TimedOut,
    Unreachable,
)
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.kube.client import Request
from plumbline.kube.client.calls import Caller
from plumbline.kube.client.retries import backoff, repeatable

GET = Request("GET", "/api/v1/pods")
CREATE = Request("POST", "/api/v1/pods", body=b"{}")
LOST = Unreachable("it broke off")
NOT_SENT = Unreachable("no connection", sent=False)


def typed(method, kind, body=b"", query=""):
    return Request(method, "/x", query, (("Accept", "a"), ("Content-Type", kind)), body)


JSON = "application/json"
MERGE = "application/merge-patch+json"
PINNED = b'{"metadata":{"resourceVersion":"5"}}'


@pytest.mark.parametrize(
    ("request_", "expected", "why"),
    [
        (GET, True, "reading changes nothing"),
        (Request("HEAD", "/x"), True, "neither does that"),
        (CREATE, False, "there would be two, or a puzzling AlreadyExists"),
        (typed("POST", JSON, b"{}", "dryRun=All"), True, "nothing is stored"),
        (typed("PATCH", "application/apply-patch+yaml", b"anything"), True, "a wish stated twice is one wish"),
        (typed("PATCH", "application/json-patch+json", PINNED), False, "it may add twice"),
        (typed("PATCH", MERGE, b'{"data":{"a":"b"}}'), False, "it may overwrite what came in between"),
        (typed("PATCH", MERGE, PINNED), True, "the second one conflicts"),
        (typed("PATCH", "application/strategic-merge-patch+json", PINNED), True, "the second one conflicts"),
        (typed("PUT", JSON, b'{"metadata":{}}'), False, "it may overwrite what came in between"),
        (typed("PUT", JSON, PINNED), True, "the second one conflicts"),
        (typed("PUT", JSON, b"not json"), False, "nobody knows"),
        (typed("DELETE", JSON, b'{"dryRun":["All"]}'), True, "nothing is deleted"),
        (typed("DELETE", JSON, b"{}", "dryRun=All"), False, "with a body the server ignores the query"),
        (typed("DELETE", JSON), False, "it may hit a new object of the same name"),
        (typed("DELETE", JSON, b'{"preconditions":{"uid":"u"}}'), True, "it can only hit the one meant"),
        (typed("DELETE", JSON, b'{"preconditions":{"resourceVersion":"5"}}'), True, "it can only hit the one meant"),
    ],
)
def test_only_what_may_arrive_twice_is_repeatable(request_, expected, why):
    assert repeatable(request_) is expected, why


async def drive(clock, awaitable, seconds=300.0):
    """Run it while virtual time passes; what came of it, and how long that took."""
    began_s = clock.monotonic()
    async with task_group() as tasks:
        task = tasks.create_task(_outcome(awaitable))
        while not task.done() and clock.monotonic() - began_s < seconds:
            await clock.advance(0.05)
    return task.result(), clock.monotonic() - began_s


async def _outcome(awaitable):
    try:
        return await awaitable
    except PlumblineError as error:
        return error


async def test_a_success_is_returned_at_once(caller, scripted):
    scripted.says({"a": 1})
    assert (await caller.call(GET)).body == b'{"a":1}'
    assert len(scripted.requests) == 1


async def test_not_modified_is_a_success(caller, scripted):
    scripted.says(b"", 304)
    assert (await caller.call(GET)).status == 304


async def test_a_lost_connection_is_tried_again_where_that_is_safe(caller, scripted, clock):
    scripted.fails(LOST).fails(LOST).says({"a": 1})
    response, _ = await drive(clock, caller.call(GET))
    assert response.body == b'{"a":1}'
    assert len(scripted.requests) == 3


async def test_a_create_that_may_have_arrived_is_never_repeated(caller, scripted):
    scripted.fails(LOST)
    with pytest.raises(Unreachable):
        await caller.call(CREATE)
    assert len(scripted.requests) == 1


async def test_a_create_that_never_left_is_repeated(caller, scripted, clock):
    scripted.fails(NOT_SENT).says({"a": 1}, 201)
    response, _ = await drive(clock, caller.call(CREATE))
    assert response.status == 201


async def test_a_server_that_stays_away_is_given_up(caller, scripted, clock):
    for _ in range(4):
        scripted.fails(LOST)
    error, _ = await drive(clock, caller.call(GET))
    assert error is LOST
    assert len(scripted.requests) == 4


@pytest.mark.parametrize("request_", [GET, CREATE])
async def test_a_throttled_request_waits_as_long_as_it_is_told(caller, scripted, clock, request_):
    scripted.says(b"", 429, retry_after=7).says({"a": 1})
    response, took_s = await drive(clock, caller.call(request_))
    assert response.body == b'{"a":1}'
    assert 7.0 <= took_s < 7.5


async def test_without_a_time_to_wait_nothing_is_repeated(caller, scripted):
    """An eviction that a disruption budget forbids is a 429 as well."""
    scripted.says({"kind": "Status", "code": 429, "reason": "TooManyRequests", "message": "budget"}, 429)
    with pytest.raises(Throttled):
        await caller.call(CREATE)
    assert len(scripted.requests) == 1


async def test_an_unavailable_server_is_asked_again_only_for_what_is_repeatable(caller, scripted, clock):
    scripted.says(b"", 503, retry_after=1).says({"a": 1})
    response, _ = await drive(clock, caller.call(GET))
    assert response.status == 200
    scripted.says(b"", 503, retry_after=1)
    error, _ = await drive(clock, caller.call(CREATE))
    assert isinstance(error, Throttled)
    assert error.after_s == 1.0


async def test_endless_throttling_ends(caller, scripted, clock):
    for _ in range(20):
        scripted.says(b"", 429, retry_after=0)
    error, _ = await drive(clock, caller.call(GET))
    assert isinstance(error, Throttled)
    assert len(scripted.requests) == 10


async def test_a_wait_beyond_the_deadline_is_not_begun(caller, scripted):
    scripted.says(b"", 429, retry_after=3600)
    with pytest.raises(Throttled) as caught:
        await caller.call(GET)
    assert caught.value.after_s == 3600.0


async def test_later_tries_get_the_time_that_is_left(caller, scripted, clock):
    scripted.says(b"", 429, retry_after=10).says({"a": 1})
    await drive(clock, caller.call(GET))
    assert scripted.requests[0].deadline_s == 30.0
    assert 19.0 < scripted.requests[1].deadline_s <= 20.0


async def test_what_kept_failing_is_told_rather_than_that_time_ran_out(caller, scripted, clock):
    scripted.fails(LOST)
    for _ in range(3):
        scripted.fails(TimedOut("no answer"))
    error, _ = await drive(clock, caller.call(GET))
    assert error is LOST


@pytest.mark.parametrize("error", [TimedOut("x"), GarbledReply("x"), Conflict("x"), ServerFault("x")])
async def test_other_failures_are_the_callers_to_judge(caller, scripted, error):
    scripted.fails(error)
    with pytest.raises(type(error)):
        await caller.call(GET)
    assert len(scripted.requests) == 1


async def test_refusals_of_the_server_are_not_repeated(caller, scripted):
    scripted.says({"kind": "Status", "code": 500, "message": "no"}, 500)
    with pytest.raises(ServerFault):
        await caller.call(GET)


async def test_warnings_reach_whoever_wants_them(scripted, clock):
    heard = []
    caller = Caller(scripted, clock, Ids(1), on_warning=heard.append)
    scripted.says(
        warnings=[
            '299 - "v1 Endpoints is \\"old\\" \\\\ use slices"',
            '110 - "other"',
            "garbage",
            '299 plumb "b" "date"',
        ]
    )
    await caller.call(GET)
    assert heard == ['v1 Endpoints is "old" \\ use slices', "b"]


async def test_warnings_nobody_wants_are_dropped(caller, scripted):
    scripted.says(warnings=['299 - "x"'])
    await caller.call(GET)


def test_waits_grow_and_never_meet():
    waits = list(itertools.islice(backoff(Ids(3), first_s=1.0, most_s=8.0), 50))
    assert all(0.5 <= wait <= 12.0 for wait in waits)
    assert max(waits[10:]) > 4.0
    assert len(set(waits)) == len(waits)
