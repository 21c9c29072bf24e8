"""`/v1/cert.pem`, `/v1/verify` and `/v1/rotate`, as kubeseal asks for them.

Whoever comes need not say who they are, so that an answer tells that something cannot be opened, and never what of it or
why: with more than that, somebody who asks often enough learns what is inside. What goes wrong is counted, not described.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, Protocol, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError, Throttled, Transient, Undecryptable
from plumbline.base.http.asgi import Left, TooLarge
from plumbline.base.log import logger
from plumbline.web.bounds import Held, Share
from plumbline.web.requests import BODY_S, Request, Response, text
from plumbline.web.routes import Route, Serve
from plumbline.web.sealing.counts import Counts
from plumbline.web.sealing.rates import Rates, Verdict
from plumbline.web.sealing.terms import Terms

CERTIFICATE: Final = "/v1/cert.pem"
VERIFY: Final = "/v1/verify"
ROTATE: Final = "/v1/rotate"
HEALTHY: Final = "/healthz"
READY: Final = "/readyz"
MOST_BYTES: Final = 3 << 19
"""What an API server takes of one object."""

_HELD_BYTES: Final = 8 * MOST_BYTES
_AT_ONCE: Final = 256
"""More than one caller can have under way by being slow, at the rate that it is limited to."""
_TURN_S: Final = 20.0
_SOON: Final = (("Retry-After", "1"),)
_GET: Final = frozenset({"GET", "HEAD"})
_POST: Final = frozenset({"POST"})
_NEWEST: Final = "newest"
_TOO_OFTEN: Final = "limit exceeded"
_NO_CERTIFICATE: Final = "cannot get certificate"

_Work: TypeAlias = Callable[[bytes, Request], Awaitable[Response]]

_log = logger("web.sealing")


class Sealer(Protocol):
    """Whoever has the keys. It is asked by one request at a time, and bounds by itself what an answer may cost."""

    async def certificate(self) -> bytes | None:
        """The newest, as PEM; None where there is none yet, and waiting for it would take too long."""

    async def verified(self, body: bytes) -> None:
        """Raises InvalidInput for what is no SealedSecret, and Undecryptable for one that cannot be opened."""

    async def resealed(self, body: bytes, *, keep: bool = False) -> bytes:
        """The same SealedSecret for the newest key, as JSON; with *keep*, what that key sealed already stays as it is.

        Raises as `verified` does.
        """


class Sealing:
    """A part of a port."""

    def __init__(
        self,
        sealer: Sealer,
        clock: Clock,
        counts: Counts,
        terms: Terms | None = None,
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        self._sealer = sealer
        self._is_ready = ready
        self._clock = clock
        self._counts = counts
        self._terms = terms or Terms()
        self._rates = Rates(clock, self._terms.per_s, self._terms.burst)
        self._held = Held(_HELD_BYTES, _AT_ONCE)
        self._turn = asyncio.Semaphore(1)
        self.routes = (
            self._route(CERTIFICATE, _GET, self._certificate),
            self._route(VERIFY, _POST, partial(self._limited, partial(self._asked, self._verify, 409))),
            self._route(ROTATE, _POST, partial(self._limited, partial(self._asked, self._rotate, 500))),
            Route(HEALTHY, _GET, _healthy),
            Route(READY, _GET, self._ready),
        )

    async def run(self) -> None:
        """Nothing to do but answer."""

    def _route(self, path: str, methods: frozenset[str], serve: Serve) -> Route:
        return Route(path, methods, partial(self._counted, serve))

    async def _counted(self, serve: Serve, request: Request) -> Response:
        began_s, code = self._clock.monotonic(), 500
        try:
            answered = await serve(request)
            code = answered.status
        except Left:
            code = 400
            raise
        else:
            return answered
        finally:
            self._counts.answered(request.path, request.method, code, self._clock.monotonic() - began_s)

    async def _certificate(self, _: Request) -> Response:
        """Without a limit: it costs nothing, and nobody can keep others from sealing by asking often."""
        try:
            found = await self._sealer.certificate()
        except PlumblineError as error:
            _log.warning("certificate missing", code=error.code, error=str(error))
            return _plain(500, _NO_CERTIFICATE)
        if found is None:
            return _plain(503, _NO_CERTIFICATE, _SOON)
        return Response(200, found, "application/x-pem-file")

    async def _ready(self, _: Request) -> Response:
        return text(200, "ok\n") if self._is_ready() else text(503, "not ready\n")

    async def _limited(self, serve: Serve, request: Request) -> Response:
        verdict = self._rates.take(f"{request.path} {self._terms.caller(request)}")
        answered = await serve(request) if verdict.taken else _plain(429, _TOO_OFTEN)
        answered.headers += tuple(_said(verdict))
        return answered

    async def _verify(self, body: bytes, _: Request) -> Response:
        await self._sealer.verified(body)
        return Response(200)

    async def _rotate(self, body: bytes, request: Request) -> Response:
        keep = request.query.get("keep") == _NEWEST
        return Response(200, await self._sealer.resealed(body, keep=keep), "application/json")

    async def _asked(self, work: _Work, closed: int, request: Request) -> Response:
        """*closed* is the status for what cannot be opened, of which there is nothing more to say."""
        try:
            with self._held.share() as share:
                body = await _read(request, share)
                if body is None:
                    return Response(400)
                async with self._in_turn():
                    return await work(body, request)
        except Left:
            raise
        except TooLarge:
            return _plain(413, "body too large")
        except Throttled as busy:
            return _plain(429, _TOO_OFTEN, (("Retry-After", str(math.ceil(busy.after_s))),))
        except Undecryptable:
            return Response(closed)
        except Transient as error:
            _log.info("request not served", path=request.path, code=error.code)
            return Response(503, headers=_SOON)
        except PlumblineError as error:
            _log.info("request failed", path=request.path, code=error.code)
            return Response(500)
        except Exception as error:  # noqa: BLE001 - neither its words nor an answer of its own may tell what is inside
            _log.error("request crashed", path=request.path, error=type(error).__name__)
            return Response(500)

    @asynccontextmanager
    async def _in_turn(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(_TURN_S):
                await self._turn.acquire()
        except TimeoutError:
            raise Throttled("The request is not served", after_s=1.0, why="others are being served") from None
        try:
            yield
        finally:
            self._turn.release()


async def _read(request: Request, share: Share) -> bytes | None:
    """The body; None where it comes too slowly."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for piece in request.pieces(MOST_BYTES):
                share.add(len(piece))
                body += piece
    except TimeoutError:
        return None
    return bytes(body)


async def _healthy(_: Request) -> Response:
    return text(200, "ok\n")


def _plain(status: int, words: str, headers: tuple[tuple[str, str], ...] = ()) -> Response:
    answered = text(status, f"{words}\n")
    answered.headers = headers
    return answered


def _said(verdict: Verdict) -> list[tuple[str, str]]:
    said = [
        ("X-RateLimit-Limit", str(verdict.limit)),
        ("X-RateLimit-Remaining", str(verdict.remaining)),
        ("X-RateLimit-Reset", str(math.ceil(verdict.reset_s))),
    ]
    return said if verdict.retry_s is None else [*said, ("Retry-After", str(math.ceil(verdict.retry_s)))]
