"""Applications as they change, in lines and in events."""

import asyncio

from tests.web.api.yard import application, until
from tests.web.ports import opened

from plumbline.base.json import decode
from plumbline.web.api.applications.streaming import Streaming, _Waiting
from plumbline.web.board import Seen
from plumbline.web.requests import Request

STREAM = "/api/v1/stream/applications"
ALL = "/api/v1/applications"


async def told(stream, count, *, events=False):
    """The next messages: type and name."""
    found = []
    async with asyncio.timeout(10):
        while len(found) < count:
            piece = await anext(stream)
            if piece.startswith(b":"):
                continue
            body = piece.removeprefix(b"data: ") if events else piece
            assert piece.endswith(b"\n\n" if events else b"\n")
            message = decode(body)
            result = message.get("result")
            found.append((result["type"], result["application"]["metadata"]["name"]) if result else message)
    return found


async def test_first_everything_and_then_what_changes(place):
    await place.deploy("a", "b")
    await place.deploy("secret", project="bank")
    answered = await place.ask("GET", STREAM, who="dev")
    stream = answered.stream
    assert await told(stream, 2) == [("ADDED", "a"), ("ADDED", "b")]
    await place.patch("secret", {"status": {"sync": {"status": "Synced"}}})
    await place.patch("b", {"status": {"sync": {"status": "Synced"}}})
    assert await told(stream, 1) == [("MODIFIED", "b")]
    await place.deploy("c")
    assert await told(stream, 1) == [("ADDED", "c")]
    await place.ask("DELETE", f"{ALL}/c?cascade=false")
    assert await told(stream, 1) == [("DELETED", "c")]
    await stream.aclose()
    assert place.desk.board._followers == []


async def test_browsers_get_events_and_signs_of_life(place):
    await place.deploy("a")
    streaming = Streaming(place.desk, beat_s=0.01)
    stream = await _stream(place, streaming, accept="text/event-stream")
    assert await told(stream, 1, events=True) == [("ADDED", "a")]
    assert await anext(stream) == b":\n"
    await stream.aclose()


async def test_a_stream_ends_with_the_session(place):
    """Attack 32."""
    await place.deploy("a")
    stream = await _stream(place, Streaming(place.desk, beat_s=0.01))
    assert await told(stream, 1) == [("ADDED", "a")]
    place.absent.add("ada")
    assert "no session" in (await told(stream, 1))[0]["error"]["message"]
    assert [piece async for piece in stream] == []


async def test_a_stream_ends_with_the_session_also_where_there_is_always_something_new(place):
    """Attack 32."""
    await place.deploy("a")
    await place.deploy("hidden", project="bank")
    stream = await _stream(place, Streaming(place.desk, beat_s=0.2))
    assert await told(stream, 2) == [("ADDED", "a"), ("ADDED", "hidden")]
    place.absent.add("ada")

    async def changing():
        for number in range(1000):
            await place.patch("a", {"status": {"sync": {"status": "Synced", "revision": f"{number:040}"}}})
            await asyncio.sleep(0.02)

    busy = asyncio.create_task(changing())
    try:
        async with asyncio.timeout(5):
            last = [piece async for piece in stream][-1]
    finally:
        busy.cancel()
    assert "no session" in decode(last)["error"]["message"]


async def test_a_role_that_is_taken_away_counts_at_once(place):
    await place.deploy("a", "b")
    answered = await place.ask("GET", STREAM, who="dev")
    assert len(await told(answered.stream, 2)) == 2
    place.policy = type(place.policy).compiled(place.policy.source._replace(parts=()))
    await place.patch("a", {"status": {"sync": {"status": "Synced"}}})
    place.allow("")
    await place.patch("b", {"status": {"sync": {"status": "Synced"}}})
    found = await told(answered.stream, 1)
    assert found in ([("MODIFIED", "b")], [("MODIFIED", "a")])
    await answered.stream.aclose()


async def test_one_application_is_told_even_with_a_version(place):
    await place.deploy("a", "b")
    stream = (
        await place.ask(
            "GET", f"{STREAM}?name=a&resourceVersion=999999&fields=result.type,result.application.metadata.name"
        )
    ).stream
    piece = decode(await anext(stream))
    assert piece == {"result": {"type": "ADDED", "application": {"metadata": {"name": "a"}}}}
    await stream.aclose()
    later = (await place.ask("GET", f"{STREAM}?resourceVersion=1")).stream
    waiting = asyncio.ensure_future(anext(later))
    await until(lambda: place.desk.board._followers)
    await place.patch("b", {"status": {"sync": {"status": "Synced"}}})
    assert decode(await waiting)["result"]["type"] == "MODIFIED"
    await later.aclose()


async def test_over_a_socket_as_curl_and_a_browser_have_it(place):
    await place.deploy("a")
    async with opened(place.api) as port:
        talk = await port.connect()
        await talk.send(f"GET {STREAM} HTTP/1.1\r\nHost: localhost\r\nX-Who: ada\r\n\r\n".encode())
        head = await talk.head()
        assert (head.status, head.headers["content-type"]) == (200, "application/json")
        assert decode(await anext(talk.pieces()))["result"]["application"]["metadata"]["name"] == "a"
        made = await port.ask("POST", ALL, application("b"), **{"X-Who": "ada"})
        assert made.status == 200


def test_who_reads_slowly_gets_the_latest_of_each():
    class Row:
        def __init__(self, name):
            self.key = ("argocd", name)

    waiting = _Waiting()
    a, b = Row("a"), Row("b")
    waiting.put(Seen(None, a, b"1"))
    waiting.put(Seen(None, b, b"1"))
    waiting.put(Seen(a, a, b"2"))
    waiting.put(Seen(None, None, b""))
    assert waiting.take() == [Seen(None, b, b"1"), Seen(None, a, b"2")]
    assert waiting.take() == []
    for number in range(5001):
        waiting.put(Seen(None, Row(str(number)), b""))
    assert waiting.overrun


async def _stream(place, streaming, **headers):
    scope = {
        "method": "GET", "path": STREAM, "query_string": b"",
        "headers": [(b"x-who", b"ada"), *((name.encode(), value.encode()) for name, value in headers.items())],
    }  # fmt: skip
    return (await streaming.serve(Request(scope, None), {})).stream
