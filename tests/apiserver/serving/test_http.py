"""HTTP/1.1 as clients speak it, and as they should not."""

import socket

import pytest
from tests.apiserver.serving.served import CM, config, served
from tests.base.http.talking import request

from plumbline.apiserver.calls import Answer
from plumbline.apiserver.door import Door
from plumbline.apiserver.plane import ADMIN
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.rooms.metrics import Tally
from plumbline.apiserver.serving.compression import WORTH_BYTES
from plumbline.base.errors import StorageFailed
from plumbline.base.ids import Ids

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_connection_is_good_for_many_requests(secure):
    talk = await secure.talk()
    for name in "abc":
        assert (await talk.ask("POST", CM, config(name))).status == 201
    found = (await talk.ask("GET", CM)).json["items"]
    assert [each["metadata"]["name"] for each in found] == ["a", "b", "c"]


async def test_answers_are_sent_without_delay_and_silent_clients_are_noticed(plain):
    talk = await plain.connect()
    await talk.ask("GET", "/livez")
    (connection,) = plain.server._server.server_state.connections
    found = connection.transport.get_extra_info("socket")
    assert found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert found.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


async def test_requests_that_are_sent_ahead_are_answered_in_order(plain):
    talk = await plain.connect()
    wanted = [request("POST", CM, config(name)) for name in "abc"]
    await talk.send(b"".join([*wanted, request("GET", f"{CM}/b")]))
    names = [(await talk.reply()).json["metadata"]["name"] for _ in range(4)]
    assert names == ["a", "b", "c", "b"]


async def test_the_old_version_of_http_gets_one_answer(plain):
    talk = await plain.connect()
    await talk.send(b"GET /livez HTTP/1.0\r\n\r\n")
    reply = await talk.reply()
    assert (reply.status, reply.body) == (200, b"ok")
    assert await talk.ended()


async def test_who_asks_to_close_is_obliged(plain):
    talk = await plain.connect()
    assert (await talk.ask("GET", "/livez", Connection="close")).status == 200
    assert await talk.ended()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"nonsense\r\n\r\n", "no request line"),
        (b"GET / HTTP/9.9\r\n\r\n", "no such version"),
        (b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "a length that is none"),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "less than nothing"),
        (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "two lengths"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "a chunk of no size"),
        (b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n", "a path of no characters"),
        (b"GET / HTTP/1.1\r\nA b: c\r\n\r\n", "a header of two words"),
        (b"\r\n\r\n\r\nX" * 100, "noise"),
        (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "a path that is none"),
        (b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", "a tunnel"),
    ],
)
async def test_what_is_no_http_is_refused_and_disturbs_nobody(plain, said, why):
    talk = await plain.connect()
    await talk.send(said)
    heard = await talk.reader.read(1 << 16)
    assert heard.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")) or not heard, (why, heard)
    assert b"Traceback" not in heard
    assert (await (await plain.connect()).ask("GET", "/livez")).status == 200


async def test_whole_addresses_are_paths_too(plain):
    talk = await plain.connect()
    assert (await talk.ask("GET", f"http://localhost{CM}")).status == 200


async def test_paths_are_decoded_once(plain):
    talk = await plain.connect()
    await talk.ask("POST", CM, config("a"))
    assert (await talk.ask("GET", f"{CM}/%61")).status == 200
    assert (await talk.ask("GET", f"{CM}/%2561")).json["reason"] == "BadRequest"


async def test_heads_have_no_bodies(plain):
    talk = await plain.connect()
    reply = await talk.ask("HEAD", "/livez")
    assert (reply.status, reply.headers["content-length"]) == (200, "2")
    assert (await talk.ask("GET", "/livez")).body == b"ok", "nothing was left in between"


async def test_large_replies_are_compressed_for_those_who_read_that(plain):
    talk = await plain.connect()
    await talk.ask("POST", CM, config("large", k="v" * WORTH_BYTES))
    packed = await talk.ask("GET", CM, Accept_Encoding="br, gzip")
    plain = await talk.ask("GET", CM)
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"])
    assert packed.json == plain.json
    for unwilling in ("gzip;q=0", "br", "xgzip"):
        assert "content-encoding" not in (await talk.ask("GET", CM, Accept_Encoding=unwilling)).headers
    assert "content-encoding" not in (await talk.ask("GET", "/livez", Accept_Encoding="gzip")).headers


async def test_warnings_are_headers_that_any_client_can_read(plain):
    reply = await (await plain.connect()).ask("POST", CM, {**config("a"), "bögus": 1})
    assert reply.status == 201
    assert reply.headers["warning"].encode("latin-1").decode() == '299 - "unknown field \\"bögus\\""'


async def test_every_answer_has_an_id_and_is_not_to_be_kept(plain):
    talk = await plain.connect()
    for target in (CM, "/livez", "/nonsense", "/apis/none.example/v1/things"):
        headers = (await talk.ask("GET", target)).headers
        assert headers["audit-id"], target
        assert headers["cache-control"] == "no-cache, private", target


class Room:
    def __init__(self, error: BaseException) -> None:
        self._error = error

    async def answer(self, *_):
        raise self._error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ZeroDivisionError("secret"), "unexpected error; the log of the control plane has the details"),
        (StorageFailed("the disk is full"), "the disk is full"),
        (RecursionError(), "unexpected error; the log of the control plane has the details"),
    ],
)
async def test_what_nobody_foresaw_is_an_answer_without_a_word_about_the_inside(error, message):
    door = Door([Room(error)], Authorizer(), Ids(1), Tally())

    async def serve(call) -> Answer:
        call.identity = ADMIN
        return await door.answer(call)

    async with served(serve=serve) as there:
        reply = await (await there.connect()).ask("GET", CM)
        assert (reply.status, reply.json["reason"]) == (500, "InternalError")
        assert reply.json["message"] == f"Internal error occurred: {message}"
        assert b"secret" not in reply.body
        assert b"Traceback" not in reply.body


async def test_an_upgrade_that_nobody_speaks_is_an_ordinary_request(plain):
    talk = await plain.connect()
    reply = await talk.ask("GET", "/livez", Connection="Upgrade", Upgrade="websocket", Sec_WebSocket_Version="13")
    assert reply.status == 200
