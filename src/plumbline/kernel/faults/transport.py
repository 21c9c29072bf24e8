"""A transport that goes wrong, round any transport that does not."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

from plumbline.base.errors import Unreachable
from plumbline.base.json import decode
from plumbline.kernel.faults.store import status_response
from plumbline.kernel.faults.weather import CALM, Dice, Weather
from plumbline.kube.client import Request, Response, Transport
from plumbline.kube.client.transport import ByteStream

_WRITES: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Tally:
    """The writes that all processes sent together, and the one at which somebody dies."""

    def __init__(self, kill_at: tuple[int, str] | None = None) -> None:
        """*kill_at* is the number of a write, and whether to die `before` or `after` it."""
        self.writes = 0
        self._kill_at = kill_at

    def kills(self, number: int, side: str) -> bool:
        return self._kill_at == (number, side)


class Process:
    """One replica as the world sees it: alive, paused or dead."""

    def __init__(self) -> None:
        self.alive = True
        self.on_death: Callable[[], None] = lambda: None
        self._running = asyncio.Event()
        self._running.set()

    def kill(self) -> None:
        """From here on nothing that it does reaches anybody."""
        if self.alive:
            self.alive = False
            self._running.set()
            self.on_death()

    def pause(self) -> None:
        self._running.clear()

    def resume(self) -> None:
        self._running.set()

    async def turn(self) -> None:
        """Wait while it is paused; a dead process gets no further."""
        await self._running.wait()
        if not self.alive:
            raise asyncio.CancelledError


class FaultyTransport:
    """What one process has of the network. `weather` may be changed at any time."""

    def __init__(self, inner: Transport, process: Process, dice: Dice, tally: Tally, weather: Weather = CALM) -> None:
        self.weather = weather
        self._inner = inner
        self._process = process
        self._dice = dice
        self._tally = tally
        self._earlier: dict[tuple[str, str], Response] = {}

    async def close(self) -> None: ...

    async def send(self, request: Request) -> Response:
        await asyncio.sleep(self._dice.up_to(self.weather.latency_s))
        await self._process.turn()
        if request.method in _WRITES:
            return await self._write(request)
        self._lose(self.weather.lost_request, sent=False)
        response = self._refused() or await self._read(request)
        if response.stream is not None:
            return Response(response.status, response.headers, stream=_FaultyStream(response.stream, self._process, self._dice, self))  # fmt: skip
        await asyncio.sleep(self._dice.up_to(self.weather.latency_s))
        await self._process.turn()
        return response

    async def _read(self, request: Request) -> Response:
        asked = (request.path, request.query)
        earlier = self._earlier.get(asked)
        if earlier is not None and self._dice.happens(self.weather.stale_read):
            return earlier
        response = await self._inner.send(request)
        if response.stream is None and self.weather.stale_read:
            self._earlier[asked] = response
        return response

    async def _write(self, request: Request) -> Response:
        weather, dice, process = self.weather, self._dice, self._process
        self._tally.writes += 1
        number = self._tally.writes
        if self._tally.kills(number, "before") or dice.happens(weather.killed_before):
            process.kill()
        if dice.happens(weather.paused):
            process.pause()
            asyncio.get_running_loop().call_later(dice.up_to(weather.longest_pause_s), process.resume)
        await process.turn()
        if request.guard is not None:
            request.guard()
        self._lose(weather.lost_request, sent=False)
        response = self._refused(conflicts=True) or await self._inner.send(request)
        if self._tally.kills(number, "after") or dice.happens(weather.killed_after):
            process.kill()
        await process.turn()
        self._lose(weather.lost_reply, sent=True)
        await asyncio.sleep(dice.up_to(weather.latency_s))
        return response

    def _lose(self, chance: float, *, sent: bool) -> None:
        if self._dice.happens(chance):
            raise Unreachable("The connection broke", sent=sent)

    def _refused(self, *, conflicts: bool = False) -> Response | None:
        weather, dice = self.weather, self._dice
        if dice.happens(weather.throttled):
            refusal = status_response(429, "TooManyRequests", "too many requests")
            return Response(429, {**refusal.headers, "retry-after": "1"}, refusal.body)
        if dice.happens(weather.server_error):
            return status_response(500, "InternalError", "etcdserver: leader changed")
        if conflicts and dice.happens(weather.conflict):
            return status_response(409, "Conflict", "the object has been modified")
        return None


class _FaultyStream:
    """A watch whose events come late, twice, in another order, or not all, and which ends at any time."""

    def __init__(self, inner: ByteStream, process: Process, dice: Dice, transport: FaultyTransport) -> None:
        self._inner = inner
        self._process = process
        self._dice = dice
        self._transport = transport

    async def close(self) -> None:
        await self._inner.close()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            weather, dice = self._transport.weather, self._dice
            await asyncio.sleep(dice.up_to(weather.event_delay_s))
            await self._process.turn()
            if dice.happens(weather.watch_closed):
                raise Unreachable("The watch broke off")
            if dice.happens(weather.watch_expired):
                yield _EXPIRED
                return
            yield b"".join(self._garbled(piece.splitlines(keepends=True), weather))

    def _garbled(self, lines: list[bytes], weather: Weather) -> Iterator[bytes]:
        """The events of one piece with some left out, repeated, or in another order."""
        dice = self._dice
        followed = {uid: place for place, line in enumerate(lines) if (uid := _uid(line))}
        kept = [
            line
            for place, line in enumerate(lines)
            if followed.get(_uid(line), place) == place or not dice.happens(weather.event_skipped)
        ]
        for place in range(len(kept) - 1):
            # A bookmark says that all before it was told: what changes places with one would make it a lie.
            if _uid(kept[place]) and _uid(kept[place + 1]) and dice.happens(weather.events_swapped):
                kept[place], kept[place + 1] = kept[place + 1], kept[place]
        for line in kept:
            yield line
            if dice.happens(weather.event_repeated):
                yield line


_EXPIRED: Final = (
    b'{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",'
    b'"message":"too old resource version","reason":"Expired","code":410}}\n'
)


def _uid(line: bytes) -> str:
    """Of the object in an event; empty for bookmarks, which stand for no object and are never left out."""
    return str(decode(line)["object"]["metadata"].get("uid") or "")
