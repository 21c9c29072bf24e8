"""What clients may send: not too much, and not too slowly."""

import asyncio
import contextlib

import pytest
from tests.apiserver.serving.served import CM, config
from tests.base.http.talking import Talk, request

from plumbline.apiserver.serving import application
from plumbline.base.http import protocol

pytestmark = pytest.mark.asyncio(loop_scope="module")
MIB = 1 << 20


async def test_a_body_that_says_it_is_too_large_is_not_read(secure):
    talk = await secure.talk()
    await talk.send(request("POST", CM, b"{", Content_Length=str(100 * MIB)))
    reply = await talk.reply()
    assert (reply.status, reply.json["reason"]) == (413, "RequestEntityTooLarge")
    assert reply.json["message"] == "Request entity too large: limit is 3145728"
    assert reply.headers["connection"] == "close"
    assert await talk.ended()


async def test_a_body_that_turns_out_too_large_is_read_no_further(plain):
    talk = await plain.connect()
    await talk.send(request("POST", CM, Transfer_Encoding="chunked", Content_Type="application/json"))
    piece = b"%x\r\n%b\r\n" % (MIB, b" " * MIB)
    for _ in range(4):
        await talk.send(piece)
    reply = await talk.reply()
    assert reply.status == 413
    assert await talk.ended()


async def test_a_body_of_just_the_right_size_is_taken(plain):
    body = request("POST", CM, config("large", k="v" * 1_000_000))
    reply = await (await plain.connect()).ask("POST", CM, body.split(b"\r\n\r\n", 1)[1])
    assert reply.status == 201


async def test_bodies_may_come_in_chunks(plain):
    talk = await plain.connect()
    await talk.send(request("POST", CM, Transfer_Encoding="chunked", Content_Type="application/json"))
    for piece in (b'{"metadata"', b':{"name":"chunks"}}'):
        await talk.send(b"%x\r\n%b\r\n" % (len(piece), piece))
    await talk.send(b"0\r\n\r\n")
    assert (await talk.reply()).status == 201


async def test_a_client_that_asks_first_is_told_to_go_on(plain):
    talk = await plain.connect()
    body = b'{"metadata":{"name":"polite"}}'
    await talk.send(request("POST", CM, body, Expect="100-continue")[: -len(body)])
    assert (await talk.reply()).status == 100
    await talk.send(body)
    assert (await talk.reply()).status == 201


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (b"GET /" + b"x" * (2 * MIB), "a path without end"),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * (2 * MIB), "a header without end"),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 300_000, "headers without end"),
    ],
)
async def test_a_head_that_is_too_large_ends_the_connection(plain, head, why):
    talk = await plain.connect()
    with contextlib.suppress(ConnectionError):
        await talk.send(head)
    reply = await _last_words(talk)
    assert reply in (431, None), why
    assert (await (await plain.connect()).ask("GET", CM)).status == 200


async def _last_words(talk: Talk) -> int | None:
    try:
        status = (await talk.head()).status
    except (ConnectionError, asyncio.IncompleteReadError):
        return None
    assert await talk.ended()
    return status


async def test_long_paths_and_many_headers_within_the_bounds_are_taken(plain):
    talk = await plain.connect()
    many = {f"X_Header_{n}": "y" * 1000 for n in range(200)}
    assert (await talk.ask("GET", f"{CM}/{'x' * 50_000}", **many)).status == 404


async def test_who_connects_and_says_nothing_is_hung_up_on(plain, monkeypatch):
    monkeypatch.setattr(protocol, "HEAD_S", 0.05)
    talk = await plain.connect()
    assert await talk.ended()


async def test_headers_that_trickle_in_come_to_nothing(plain, monkeypatch):
    monkeypatch.setattr(protocol, "HEAD_S", 0.2)
    talk = await plain.connect()
    with contextlib.suppress(ConnectionError):
        for byte in request("GET", CM):
            await talk.send(bytes([byte]))
            await asyncio.sleep(0.02)
            if talk.reader.at_eof():
                break
    assert await talk.ended()


async def test_the_second_request_has_no_more_time_than_the_first(plain, monkeypatch):
    monkeypatch.setattr(protocol, "HEAD_S", 0.2)
    talk = await plain.connect()
    assert (await talk.ask("GET", CM)).status == 200
    await talk.send(b"GET ")
    assert await talk.ended()


async def test_a_connection_that_is_only_kept_open_is_not_a_slow_head(plain, monkeypatch):
    monkeypatch.setattr(protocol, "HEAD_S", 0.05)
    talk = await plain.connect()
    assert (await talk.ask("GET", CM)).status == 200
    await asyncio.sleep(0.2)
    assert (await talk.ask("GET", CM)).status == 200


async def test_a_body_that_trickles_in_is_not_waited_for(plain, monkeypatch):
    monkeypatch.setattr(application, "BODY_S", 0.1)
    talk = await plain.connect()
    await talk.send(request("POST", CM, b"{", Content_Length="100"))
    reply = await talk.reply()
    assert (reply.status, reply.json["reason"]) == (504, "Timeout")
    assert await talk.ended()


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_forgotten(plain):
    talk = await plain.connect()
    await talk.send(request("POST", CM, b"{", Content_Length="100"))
    talk.vanish()
    await plain.until(lambda: not plain.connections)
    assert (await (await plain.connect()).ask("GET", CM)).json["items"] == []


async def test_a_thousand_connections_that_do_nothing_are_in_nobodys_way(plain):
    idle = [await plain.connect() for _ in range(1000)]
    await plain.until(lambda: plain.connections == 1000)
    assert (await idle[500].ask("GET", CM)).status == 200
    assert (await (await plain.connect()).ask("POST", CM, config("a"))).status == 201
    for talk in idle:
        talk.vanish()
    await plain.until(lambda: plain.connections <= 1)
