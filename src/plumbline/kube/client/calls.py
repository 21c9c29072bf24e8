"""One call: sent, repeated where that is safe, its failure made an error, its warnings passed on, all within a deadline."""

import re
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError, TimedOut, Transient
from plumbline.base.ids import Ids
from plumbline.kube.client.retries import Patience
from plumbline.kube.client.statuses import failure
from plumbline.kube.client.transport import Guard, Headers, Request, Response, Transport

OnWarning = Callable[[str], None]

_SUCCESS = range(200, 300)
_NOT_MODIFIED = 304
_warning_text = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"').match
_escaped = re.compile(r"\\(.)")


class _Failed(NamedTuple):
    error: PlumblineError
    asked_by: int = 0
    """The HTTP status that came with a time to wait (Retry-After); zero where the server did not ask us to come again."""


class Caller:
    """The way to the server for one identity; cheap to make."""

    __slots__ = ("clock", "deadline_s", "guard", "headers", "ids", "on_warning", "transport")

    def __init__(
        self,
        transport: Transport,
        clock: Clock,
        ids: Ids,
        *,
        headers: Headers = (),
        on_warning: OnWarning | None = None,
    ) -> None:
        self.transport = transport
        self.clock = clock
        self.ids = ids
        self.headers = headers
        self.on_warning = on_warning
        self.deadline_s = 0.0
        """For every call; zero leaves it to each request."""
        self.guard: Guard | None = None
        """Asked before every write."""

    def changed(
        self, *, headers: Headers | None = None, deadline_s: float = 0.0, guard: Guard | None = None
    ) -> "Caller":
        same = self.headers if headers is None else headers
        made = Caller(self.transport, self.clock, self.ids, headers=same, on_warning=self.on_warning)
        made.deadline_s = deadline_s or self.deadline_s
        made.guard = guard or self.guard
        return made

    async def call(self, request: Request) -> Response:
        """The successful response to *request* (304 counts as one), or its error."""
        if self.headers:
            request = msgspec.structs.replace(request, headers=request.headers + self.headers)
        if self.deadline_s:
            request = msgspec.structs.replace(request, deadline_s=self.deadline_s)
        if self.guard and request.method != "GET":
            request = msgspec.structs.replace(request, guard=self.guard)
        began_s = self.clock.monotonic()
        outcome = await self._attempt(request)
        if isinstance(outcome, Response):
            return outcome
        return await self._persist(request, outcome, began_s + request.deadline_s)

    async def _attempt(self, request: Request) -> "Response | _Failed":
        try:
            response = await self.transport.send(request)
        except Transient as lost:
            return _Failed(lost)
        if response.warnings and self.on_warning:
            self._warn(response, self.on_warning)
        if response.status in _SUCCESS or response.status == _NOT_MODIFIED:
            return response
        error = failure(request, response, self.clock.now())
        return _Failed(error, response.status if "retry-after" in response.headers else 0)

    async def _persist(self, request: Request, failed: "_Failed", until_s: float) -> Response:
        """Try again as long as that may help. Raises the last error."""
        patience = Patience(request, self.ids)
        while True:
            pause_s = patience.pause_s(failed.error, failed.asked_by)
            if pause_s is None or self.clock.monotonic() + pause_s >= until_s:
                raise failed.error
            await self.clock.sleep(pause_s)
            left_s = until_s - self.clock.monotonic()
            outcome = await self._attempt(msgspec.structs.replace(request, deadline_s=left_s))
            if isinstance(outcome, Response):
                return outcome
            # What kept failing says more than that time ran out meanwhile.
            failed = failed if isinstance(outcome.error, TimedOut) else outcome

    @staticmethod
    def _warn(response: Response, on_warning: OnWarning) -> None:
        for header in response.warnings:
            if found := _warning_text(header):
                on_warning(_escaped.sub(r"\1", found[1]))
