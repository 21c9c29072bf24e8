"""Watches last as long as their clients, and no longer."""

import asyncio

import pytest
from tests.apiserver.serving.served import CM, config, served
from tests.base.http.talking import request

from plumbline.apiserver.serving import application
from plumbline.base.json import decode

pytestmark = pytest.mark.asyncio(loop_scope="module")
WATCH = f"{CM}?watch=1"


async def test_changes_arrive_as_they_happen(secure):
    watching = await secure.talk()
    await watching.send(request("GET", WATCH))
    head = await watching.head()
    assert (head.status, head.headers["transfer-encoding"]) == (200, "chunked")
    pieces = watching.pieces()
    await secure.until(lambda: secure.watchers == 1)
    await secure.ask("POST", CM, config("a"))
    assert decode(await anext(pieces))["type"] == "ADDED"
    await secure.ask("DELETE", f"{CM}/a")
    assert decode(await anext(pieces))["type"] == "DELETED"


async def test_a_client_that_vanishes_is_not_watched_for(plain):
    talks = [await plain.connect() for _ in range(20)]
    for talk in talks:
        await talk.send(request("GET", WATCH))
        await talk.head()
    await plain.until(lambda: plain.watchers == 20)
    for talk in talks[:10]:
        talk.vanish()
    for talk in talks[10:]:
        talk.close()
    await plain.until(lambda: plain.watchers == 0)


async def test_a_client_that_vanishes_with_more_to_ask_is_not_watched_for_either(plain):
    talk = await plain.connect()
    await talk.send(request("GET", WATCH) + request("GET", CM))
    await talk.head()
    await plain.until(lambda: plain.watchers == 1)
    talk.vanish()
    # Nobody listens for the end of a connection that has said too much; the next write finds it.
    await (await plain.connect()).ask("POST", CM, config("a"))
    await (await plain.connect()).ask("POST", CM, config("b"))
    await plain.until(lambda: plain.watchers == 0)


async def test_a_watch_ends_when_it_said_it_would_and_the_connection_goes_on(plain):
    talk = await plain.connect()
    assert (await talk.ask("GET", f"{WATCH}&timeoutSeconds=1")).body == b""
    assert (await talk.ask("GET", CM)).status == 200
    assert plain.watchers == 0


async def test_a_client_that_does_not_read_is_given_up(plain, monkeypatch):
    monkeypatch.setattr(application, "STALLED_S", 0.2)
    talk = await plain.connect()
    talk.reader._limit = 1
    talk.writer.transport.pause_reading()
    await talk.send(request("GET", WATCH))
    await plain.until(lambda: plain.watchers == 1)
    for number in range(60):
        await plain.plane.cluster.create(
            {**config(f"large-{number}", k="v" * 500_000), "metadata": {"name": f"l-{number}", "namespace": "default"}}
        )
        await asyncio.sleep(0)
    await plain.until(lambda: plain.watchers == 0)


async def test_the_end_of_the_server_is_the_end_of_its_watches():
    async with served() as there:
        talk = await there.connect()
        await talk.send(request("GET", WATCH))
        await talk.head()
        await there.until(lambda: there.watchers == 1)
        there.plane.store.close()
        assert [piece async for piece in talk.pieces()] == []
        assert there.watchers == 0


async def test_a_server_that_stops_ends_its_watches_whole():
    async with served() as there:
        talk = await there.connect()
        await talk.send(request("GET", WATCH))
        await talk.head()
        await there.until(lambda: there.watchers == 1)
        there.server.stop()
        assert [piece async for piece in talk.pieces()] == []
        assert await talk.ended()
        assert there.watchers == 0


async def test_a_watch_that_comes_too_late_for_a_server_that_stops_is_short():
    async with served() as there:
        talk = await there.connect()
        there.server.stop()
        assert (await talk.ask("GET", WATCH)).body == b""
