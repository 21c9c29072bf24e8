"""A real socket whose other side does what it likes: every case ends in one clear error, in time, with memory flat."""

import asyncio
import gzip
import tracemalloc

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    LimitExceeded,
    PlumblineError,
    TimedOut,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.kube.client import Client, Connection, Request, Selection, Target, Writing
from plumbline.kube.client.credentials import Fixed
from plumbline.kube.client.http import HttpTransport
from plumbline.kube.client.parts import Impersonation, Proxy, ServerTrust, User
from plumbline.kube.names import GroupVersionResource

PODS = GroupVersionResource("", "v1", "pods")
POD = Target(PODS, "a", "web")
BODY = b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}'
OK = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def chunk(data):
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


CHUNKED = f"{OK}Transfer-Encoding: chunked\r\n\r\n".encode()


async def test_a_request_arrives_as_it_was_meant(server, reach):
    server.says(BODY)
    client = await reach(server.url)
    assert await client.apply(POD, BODY, Writing(field_manager="a&b", force=True)) == BODY
    (asked,) = server.asked
    query = "fieldManager=a%26b&force=true&fieldValidation=Ignore"
    assert (asked.method, asked.target) == ("PATCH", f"/api/v1/namespaces/a/pods/web?{query}")
    assert asked.headers["content-type"] == "application/apply-patch+yaml"
    assert asked.headers["accept"] == "application/json"
    assert asked.headers["user-agent"] == "plumbline"
    assert "accept-encoding" not in asked.headers
    assert asked.body == BODY


async def test_a_server_may_live_under_a_path(server, reach):
    server.says(BODY)
    await (await reach(f"{server.url}/k8s/clusters/c-1")).get(POD)
    assert server.asked[0].target == "/k8s/clusters/c-1/api/v1/namespaces/a/pods/web"


async def test_a_connection_is_used_again(server, reach):
    for _ in range(5):
        server.says(BODY)
    client = await reach(server.url)
    for _ in range(5):
        await client.get(POD)
    assert server.connections == 1


async def test_nothing_stays_open_of_a_transport_that_was_closed(server):
    """A request may be on its way just then, and open a connection afterwards."""
    transport = HttpTransport(Connection(server=server.url), Fixed(User()))
    await transport.close()
    for _ in range(2):
        server.says(BODY)
        await transport.send(Request("GET", "/api/v1/pods", ""))
    assert server.connections == 2


async def test_answers_may_come_in_chunks(server, reach):
    server.raw(CHUNKED, chunk(BODY[:10]), 0.01, chunk(BODY[10:]), b"0\r\n\r\n")
    assert await (await reach(server.url)).get(POD) == BODY


async def test_large_bodies_are_sent(server, reach):
    server.says(BODY)
    large = b'{"x":"' + b"y" * 3_000_000 + b'"}'
    await (await reach(server.url)).update(POD, large)
    assert server.asked[0].body == large


@pytest.mark.parametrize(
    ("pieces", "then", "expected"),
    [
        ((b"garbage\r\n\r\n",), "close", GarbledReply),
        ((b"\x00\x01\x02" * 100,), "close", GarbledReply),
        ((b"HTTP/1.1 banana\r\n\r\n",), "close", GarbledReply),
        ((f"{OK}X: {'x' * 20_000}\r\n\r\n".encode(),), "close", GarbledReply),
        ((f"{OK}Content-Length: 5\r\n\r\n<html".encode(),), "keep", GarbledReply),
        ((f"{OK}Content-Length: 0\r\n\r\n".encode(),), "keep", GarbledReply),
        ((f"{OK}Content-Length: 11\r\n\r\n".encode(), b'{"half": {}'), "keep", GarbledReply),
        ((f"{OK}Content-Length: 2\r\nContent-Encoding: br\r\n\r\n{{}}".encode(),), "keep", GarbledReply),
        ((f"{OK}Content-Length: 2\r\nContent-Encoding: gzip\r\n\r\n{{}}".encode(),), "keep", GarbledReply),
        ((b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",), "keep", GarbledReply),
    ],
)
async def test_an_answer_that_cannot_be_read_is_garbled(server, reach, pieces, then, expected):
    server.raw(*pieces, then=then)
    with pytest.raises(expected) as caught:
        await (await reach(server.url)).get(POD)
    assert caught.value.hint
    assert len(server.asked) == 1, "what cannot be read once is not asked for again, nor elsewhere"


@pytest.mark.parametrize(
    "pieces",
    [
        (),
        (b"HTTP/1.1 200",),
        (f"{OK}Content-Length: 500\r\n\r\n{{".encode(),),
        (CHUNKED, chunk(b'{"a"')),
        (CHUNKED, b"10\r\n{"),
    ],
)
@pytest.mark.parametrize("method", ["get", "update", "delete", "create"])
async def test_an_answer_that_breaks_off_is_tried_again_only_where_that_is_safe(server, reach, pieces, method):
    for _ in range(4):
        server.raw(*pieces, then="close")
    client = await reach(server.url, clock=_instant())
    calls = {
        "get": client.get(POD),
        "update": client.update(POD, BODY),
        "delete": client.delete(POD),
        "create": client.create(POD.collection, BODY),
    }
    for name, call in calls.items():
        if name != method:
            call.close()
    with pytest.raises((Unreachable, GarbledReply)):
        await calls[method]
    assert len(server.asked) == (4 if method == "get" else 1), "nothing below repeats anything either"


def _instant():
    """Waits take no time."""

    class Instant(VirtualClock):
        async def sleep(self, delay_s):
            await asyncio.sleep(0)

    return Instant()


async def test_a_connection_that_went_stale_costs_an_apply_nothing(server, reach):
    server.says(BODY).raw(then="close").says(BODY)
    client = await reach(server.url, clock=_instant())
    for _ in range(2):
        assert await client.apply(POD, BODY, Writing(field_manager="us")) == BODY


async def test_nobody_there_is_unreachable_and_nothing_was_sent(reach):
    client = await reach("http://127.0.0.1:1", clock=_instant())
    with pytest.raises(Unreachable) as caught:
        await client.create(POD.collection, BODY)
    assert not caught.value.sent
    assert "127.0.0.1:1" in caught.value.why


@pytest.mark.parametrize(
    "pieces",
    [
        (),
        (b"HTTP/1.1 200 OK\r\n",),
        (f"{OK}Content-Length: 500\r\n\r\n{{".encode(),),
        (CHUNKED, *[item for _ in range(50) for item in (chunk(b" "), 0.01)]),
    ],
)
async def test_a_server_that_stalls_or_drips_is_given_up_in_time(server, reach, pieces):
    server.raw(*pieces, then="hang")
    client = (await reach(server.url)).within(0.2)
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    with pytest.raises(TimedOut) as caught:
        await client.get(POD)
    assert loop.time() - began_s < 5
    assert "0.2 s" in caught.value.why


@pytest.mark.parametrize("announced", [True, False])
async def test_an_endless_answer_is_cut_off_while_memory_stays_flat(server, reach, announced):
    block = b"x" * 65536
    if announced:
        server.raw(f"{OK}Content-Length: {1 << 40}\r\n\r\n".encode(), *[block] * 400, then="close")
    else:
        server.raw(CHUNKED, *[chunk(block)] * 400, then="close")
    client = await reach(server.url)
    tracemalloc.start()
    with pytest.raises(LimitExceeded):
        await client.send(Request("GET", "/x", reply_limit_bytes=1 << 20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20


@pytest.mark.parametrize("size", [1000, 2_000_000])
async def test_compressed_answers_are_opened(server, reach, size):
    plain = b'{"x":"' + bytes((i * 7919 + i // 251) % 26 + 97 for i in range(size)) + b'"}'
    packed = gzip.compress(plain, 1)
    server.says(packed, headers=[("Content-Encoding", "gzip")])
    client = await reach(Connection(server.url, source="x", compress=True))
    assert await client.get(POD) == plain
    assert server.asked[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(b" " * (1 << 26)), gzip.compress(b"x" * 1000)[:-12], b"not gzip at all"],
    ids=["bomb", "cut short", "none"],
)
async def test_a_bomb_is_not_opened(server, reach, packed):
    server.says(packed, headers=[("Content-Encoding", "gzip")])
    client = await reach(Connection(server.url, compress=True))
    tracemalloc.start()
    with pytest.raises((LimitExceeded, GarbledReply)):
        await client.get(POD)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 << 20


async def test_warnings_are_heard(server, reach):
    heard = []
    server.says(BODY, headers=[("Warning", '299 - "one"'), ("Warning", '299 - "two"')])
    await (await reach(server.url, on_warning=heard.append)).get(POD)
    assert heard == ["one", "two"]


async def test_a_watch_streams_and_takes_no_turn(server, reach):
    line = b'{"type":"ADDED","object":{"metadata":{"name":"x","resourceVersion":"1"}}}\n'
    for _ in range(3):
        server.raw(CHUNKED, chunk(line[:20]), 0.01, chunk(line[20:] + line), then="hang")
    server.says(BODY)
    client = await reach(server.url, in_flight=1)
    watches = [client.watch(POD.collection) for _ in range(3)]
    for events in watches:
        assert [(await anext(events)).name for _ in range(2)] == ["x", "x"]
    assert await client.get(POD) == BODY
    for events in watches:
        await events.aclose()


async def test_a_stream_is_asked_for_as_it_is_and_one_that_is_encoded_all_the_same_is_refused(server, reach):
    """Opened piece by piece it would come late; taken for what it says it would be no JSON."""
    packed = chunk(gzip.compress(b'{"type":"ADDED"}\n'))
    server.raw(CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n"), packed, then="hang")
    client = await reach(Connection(server.url, compress=True))
    with pytest.raises(GarbledReply, match="gzip"):
        await anext(client.watch(POD.collection))
    assert server.asked[0].headers["accept-encoding"] == "identity"


async def test_a_watch_that_is_left_drops_its_connection_at_once(secure_server, reach, pem):
    """A farewell by TLS would keep it open for as long as the server has nothing to say."""
    line = b'{"type":"ADDED","object":{"metadata":{"name":"x","resourceVersion":"1"}}}\n'
    secure_server.raw(CHUNKED, chunk(line), then="hang")
    trust = ServerTrust(pem["ca.crt"])
    client = await reach(Connection(secure_server.url, trust=trust, source="a test"))
    events = client.watch(POD.collection)
    await anext(events)
    sockets = [wire.transport.get_extra_info("socket") for wire in client._caller.transport._wires]
    await events.aclose()
    await asyncio.sleep(0)
    assert [each.fileno() for each in sockets] == [-1]


async def test_a_watch_that_the_server_ends_is_over(server, reach):
    server.raw(CHUNKED, b"0\r\n\r\n")
    assert [event async for event in (await reach(server.url)).watch(POD.collection)] == []


async def test_a_watch_that_breaks_says_so(server, reach):
    server.raw(
        CHUNKED, chunk(b'{"type":"ADDED","object":{"metadata":{"name":"x","resourceVersion":"1"}}}\n'), then="close"
    )
    events = (await reach(server.url)).watch(POD.collection)
    assert (await anext(events)).name == "x"
    with pytest.raises(Unreachable):
        await anext(events)


async def test_a_watch_whose_server_fell_silent_is_given_up(server, reach):
    server.raw(CHUNKED, then="hang")
    transport = HttpTransport(Connection(server.url), Fixed(User()))
    response = await transport.send(Request("GET", "/x", stream_s=0.1))
    with pytest.raises(TimedOut):
        _ = [piece async for piece in response.stream]
    await response.stream.close()
    await transport.close()


async def test_a_refused_watch_has_a_body(server, reach):
    server.says({"kind": "Status", "code": 401, "message": "who are you", "reason": "Unauthorized"}, 401)
    with pytest.raises(Unauthenticated) as caught:
        _ = [event async for event in (await reach(server.url)).watch(POD.collection)]
    assert caught.value.why == "who are you"


async def test_only_so_many_requests_are_under_way(server, reach):
    server.always = None
    for _ in range(20):
        server.raw(0.02, server.reply(BODY))
    client = await reach(server.url, in_flight=3)
    async with task_group() as tasks:
        for _ in range(20):
            tasks.create_task(client.get(POD))
    assert server.connections == 3


async def test_waiting_for_a_turn_has_a_deadline_and_can_be_cancelled(server, reach):
    server.raw(then="hang").says(BODY)
    client = await reach(server.url, in_flight=1)
    async with task_group() as tasks:
        hanging = tasks.create_task(_swallowed(client.within(0.4).get(POD)))
        await asyncio.sleep(0.01)
        cancelled = tasks.create_task(client.get(POD))
        await asyncio.sleep(0.01)
        cancelled.cancel()
        with pytest.raises(TimedOut) as caught:
            await client.within(0.05).get(POD)
        assert "under way" in caught.value.why
        assert isinstance(await hanging, TimedOut)
    assert await client.get(POD) == BODY, "turns of those who gave up are not lost"


async def _swallowed(awaitable):
    try:
        return await awaitable
    except PlumblineError as error:
        return error


class Renewable:
    """Credentials that give another token each time they are refused."""

    def __init__(self, *tokens):
        self.tokens = list(tokens)
        self.current = None

    def ready(self):
        return self.current

    async def renew(self, refused):
        if not self.tokens:
            return None
        self.current = Fixed(User(token=Plaintext(self.tokens.pop(0)))).ready()
        return self.current


async def test_a_refused_token_is_renewed_once_and_the_request_repeated(server):
    server.says(b"", 401).says(BODY)
    transport = HttpTransport(Connection(server.url), Renewable("one", "two"))
    assert await Client(transport).create(POD.collection, BODY) == BODY
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer one", "Bearer two"]
    await transport.close()


async def test_a_token_that_stays_refused_is_told(server):
    server.says(b"", 401).says(b"", 401)
    transport = HttpTransport(Connection(server.url), Renewable("one", "two", "three"))
    with pytest.raises(Unauthenticated):
        await Client(transport).get(POD)
    await transport.close()


async def test_requests_go_through_a_proxy(server, reach):
    proxy = Proxy(server.url, Plaintext("Basic hunter2"))
    server.says(BODY)
    client = await reach(Connection("http://api.example:8080", proxy=proxy))
    assert await client.get(POD) == BODY
    assert server.asked[0].target == "http://api.example:8080/api/v1/namespaces/a/pods/web"
    assert server.asked[0].headers["proxy-authorization"] == "Basic hunter2"


async def test_a_proxy_that_refuses_is_named(server, reach):
    server.says(b"", 407)
    client = (await reach(Connection("https://api.example:6443", proxy=Proxy(server.url)), clock=_instant())).within(5)
    server.always = server.script[0]
    with pytest.raises(Unreachable) as caught:
        await client.get(POD)
    assert "407" in caught.value.why
    assert server.asked[0].method == "CONNECT"


async def test_a_guard_that_raises_keeps_writes_from_leaving_and_lets_reads_pass(server, reach):
    server.says(BODY).says(BODY)

    def no_longer_leading():
        raise Forbidden("This is not the leader any more")

    client = (await reach(server.url)).guarded(no_longer_leading)
    assert await client.within(5).get(POD) == BODY
    for write in (client.create(POD.collection, BODY), client.apply(POD, BODY, Writing()), client.delete(POD)):
        with pytest.raises(Forbidden):
            await write
    assert [asked.method for asked in server.asked] == ["GET"]


async def test_a_guard_is_asked_again_before_every_repetition(server, reach):
    """Who led when the first try left may not lead when the second one does."""
    server.says(b"", 429, headers=[("Retry-After", "0")]).says(BODY)
    asked = []
    client = (await reach(server.url, clock=_instant())).guarded(lambda: asked.append(len(server.asked)))
    assert await client.apply(POD, BODY, Writing(field_manager="us")) == BODY
    assert asked == [0, 1]


async def test_impersonation_of_the_kubeconfig_reaches_the_server(server, reach):
    server.says(BODY)
    client = await reach(Connection(server.url, impersonate=Impersonation("jane", ("a", "b"))))
    await client.get(POD)
    assert server.asked[0].headers["impersonate-user"] == "jane"
    assert server.asked[0].headers["impersonate-group"] == "a, b"


async def test_a_list_of_many_pages_over_the_wire(server, reach):
    for number in range(3):
        token = str(number + 1) if number < 2 else ""
        items = [{"metadata": {"name": f"p{number}-{i}"}} for i in range(100)]
        server.says(
            {
                "kind": "PodList",
                "apiVersion": "v1",
                "metadata": {"resourceVersion": "1", "continue": token},
                "items": items,
            }
        )
    got = await (await reach(server.url)).list(POD.collection, Selection(limit=100))
    assert len(got.items) == 300
