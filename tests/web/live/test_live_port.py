"""The stream as it is on the wire."""

from tests.base.http.talking import request
from tests.web.live.pages import Source, Town
from tests.web.ports import opened, until

from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.web.live import Live, Topics


def live():
    topics, source, town = Topics(), Source(), Town()
    topics.add("applications", source)
    return Live(topics, town, town, clock=SystemClock(), ids=Ids()), source


async def test_a_browser_is_told_and_nothing_on_the_way_keeps_it():
    part, source = live()
    async with opened(part) as port:
        talk = await port.connect()
        await talk.send(request("GET", "/api/v1/live?topics=applications", Who="ada"))
        head = await talk.head()
        assert head.status == 200
        assert head.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert head.headers["cache-control"] == "no-store, no-transform"
        assert head.headers["x-accel-buffering"] == "no"
        pieces = talk.pieces()
        assert b"event: open" in await anext(pieces)
        source.tell("applications", "argocd/shop", {"health": "Healthy"})
        assert b'"key":"argocd/shop"' in await anext(pieces)
        talk.vanish()
        await until(lambda: part.streams == 0)


async def test_the_end_of_the_port_is_said():
    part, _ = live()
    async with opened(part) as port:
        talk = await port.connect()
        await talk.send(request("GET", "/api/v1/live?topics=applications", Who="ada"))
        await talk.head()
        pieces = talk.pieces()
        await anext(pieces)
        port.talks.clear()
    assert b'event: bye\ndata: {"reason":"drain"}' in await anext(pieces)
    assert [piece async for piece in pieces] == []
    talk.vanish()


async def test_refusals_are_answers_not_streams():
    part, _ = live()
    async with opened(part) as port:
        assert (await port.ask("GET", "/api/v1/live?topics=applications")).status == 401
        assert (await port.ask("GET", "/api/v1/live?topics=nothing", Who="ada")).status == 400
        assert (await port.ask("POST", "/api/v1/live?topics=applications", Who="ada")).status == 405
