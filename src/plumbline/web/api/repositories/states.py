"""Whether repositories answer, asked now and then: a list must not wait for the slowest of all forges each time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import PlumblineError, WrongState
from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.source.repository import Repository
from plumbline.source.secrets import Entry

Test: TypeAlias = Callable[[Repository], Awaitable[None]]
"""Connect as the repository says. Raises why that does not work."""

_FRESH_S: Final = 180.0
_PATIENCE_S: Final = 10.0
_AT_ONCE: Final = 8
_HINT: Final = "Check the address, and as whom it is to be read; a server must be reachable from where Plumbline runs."


class _State(NamedTuple):
    repository: Repository
    """As it was described then: one that is described otherwise is asked again."""
    at_s: float
    shape: JsonObject


class States:
    def __init__(self, test: Test | None, connected: Callable[[str, str], Repository], clock: Clock) -> None:
        self._test = test
        self._connected = connected
        self._clock = clock
        self._known: dict[tuple[str, str], _State] = {}
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def of(self, entries: Iterable[Entry], *, anew: bool = False) -> list[JsonObject]:
        async with task_group() as group:
            asked = [group.create_task(self._one(each, anew=anew)) for each in entries]
        return [each.result() for each in asked]

    def forget(self, url: str, project: str) -> None:
        self._known.pop((url, project), None)

    async def _one(self, known: Entry, *, anew: bool) -> JsonObject:
        if known.fault:
            return {"status": "Failed", "message": known.fault}
        if self._test is None:
            return {"status": "Unknown", "message": ""}
        key = known.url, known.project
        try:
            repository = self._connected(*key)
        except PlumblineError as error:
            return self._shape(str(error))
        kept = self._known.get(key)
        recent = kept is not None and self._clock.monotonic() - kept.at_s < _FRESH_S
        if kept is not None and recent and not anew and kept.repository == repository:
            return kept.shape
        shape = self._shape(await self._failure(lambda: repository))
        self._known[key] = _State(repository, self._clock.monotonic(), shape)
        return shape

    def _shape(self, why: str) -> JsonObject:
        return {
            "status": "Failed" if why else "Successful",
            "message": f"Unable to connect to repository: {why}" if why else "",
            "attemptedAt": rfc3339(self._clock.now()),
        }

    async def check(self, described: Callable[[], Repository]) -> None:
        """Raises WrongState where what is described does not answer, in the words that Argo CD has for it.

        Never Unauthenticated or Forbidden: it is not who asks that was refused, and they keep their session.
        """
        why = await self._failure(described)
        if why:
            raise WrongState(f"error testing repository connectivity: {why}", hint=_HINT)

    async def _failure(self, described: Callable[[], Repository]) -> str:
        """Why it does not answer; empty if it does, or if nobody can tell."""
        if self._test is None:
            return ""
        try:
            async with asyncio.timeout(_PATIENCE_S), self._turns:
                await self._test(described())
        except TimeoutError:
            return f"no answer within {_PATIENCE_S:g} s"
        except PlumblineError as error:
            return str(error)
        return ""
