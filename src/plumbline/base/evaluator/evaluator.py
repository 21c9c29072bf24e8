"""Evaluating what users supply, in workers that can be killed, a few at a time."""

import asyncio
import contextlib
import hashlib
import math
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

import msgspec

from plumbline.base.errors import EvaluationFailed, InvalidInput, LimitExceeded, PlumblineError, TimedOut, Transient
from plumbline.base.evaluator.lane import Lane
from plumbline.base.evaluator.link import Link, linked
from plumbline.base.evaluator.wire import (
    Exceeded,
    Failed,
    Given,
    Job,
    JqTask,
    JsonnetTask,
    LuaTask,
    Outcome,
    encode,
)
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.json import encode as encode_json
from plumbline.base.process import Launcher, Limits

_WORKER = "plumbline.base.evaluator.worker"
_MIB = 1 << 20
_SLICE_S = 0.25
"""So long a worker is anybody's. What takes longer is evaluated again, from the start and one after another."""
_MOST_SLOW = 4096
# Frame and structure around the answers themselves.
_OVERHEAD_BYTES = _MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Jsonnet:
    """A jsonnet program with all that it may import: there is no file system behind it."""

    source: str
    name: str = "main.jsonnet"
    """Its own path among `files`, which imports are relative to."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    libs: tuple[str, ...] = ()
    """Directories among `files` to look for imports in; the last one first, as with `jsonnet -J`."""
    ext_vars: Mapping[str, str] = field(default_factory=dict)
    ext_codes: Mapping[str, str] = field(default_factory=dict)
    tla_vars: Mapping[str, str] = field(default_factory=dict)
    tla_codes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    workers: int = 2
    waiting: int = 256
    """Evaluations that may wait for a worker; one more is turned away."""
    memory_bytes: int = 512 * _MIB
    """Addresses of one worker, its 100 MiB of interpreter and libraries included."""
    input_bytes: int = 64 * _MIB
    output_bytes: int = 16 * _MIB
    evaluations: int = 1000
    """After so many a worker is replaced."""
    peak_bytes: int = 256 * _MIB
    """A worker that came to use so much is replaced."""
    policy: Literal["required", "best-effort"] = "best-effort"
    """Where the kernel cannot confine workers. Even then the languages themselves reach nothing."""


_BOUNDS = Bounds()


class Evaluator:
    """A pool of workers, started when needed. Use it as an async context; on leaving all of them end.

    Every evaluation raises EvaluationFailed for a program that fails (or brings its worker down), TimedOut past its
    deadline, LimitExceeded for too much memory or output, and Throttled when too many wait already. Deadlines do not
    count the wait for a worker. One evaluation never affects another.
    """

    def __init__(self, bounds: Bounds = _BOUNDS) -> None:
        self._bounds = bounds
        self._launcher = Launcher(preload=_WORKER)
        self._all = Lane(bounds.workers, bounds.waiting)
        self._patient = Lane(max(bounds.workers - 1, 1), bounds.waiting)
        """For what took long: it never has every worker, so that nobody waits for who never ends."""
        self._slow: dict[bytes, None] = {}
        self._idle: list[tuple[Link, contextlib.AsyncExitStack]] = []
        self._busy: set[Link] = set()
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        for link in self._busy:
            link.kill()
        # Whoever is in finds it closed and leaves; with every place taken nobody can start a worker any more.
        for _ in range(self._bounds.workers):
            await self._all.places.acquire()
        while self._idle:
            _, stack = self._idle.pop()
            await stack.aclose()
        await asyncio.to_thread(self._launcher.close)

    async def jq(self, program: str, value: Json, *, deadline_s: float = 1.0) -> list[Json]:
        """All that a jq program gives for a value. It finds no file, no variable and no further input."""
        (results,) = await self.jq_many(program, [value], deadline_s=deadline_s)
        if isinstance(results, PlumblineError):
            raise results
        return results

    async def jq_many(
        self, program: str, values: Iterable[Json], *, deadline_s: float = 1.0
    ) -> list[list[Json] | PlumblineError]:
        """One program over many values in one round trip and one deadline. One value's failure is not the others'."""
        inputs = [_written(value).decode() for value in values]
        if not inputs:
            return []
        outcomes = await self._perform(JqTask(program, inputs), deadline_s)
        return [_results("jq program", outcome) for outcome in outcomes]

    async def lua(
        self, script: str, variables: JsonObject, *, open_libs: bool = False, deadline_s: float = 1.0
    ) -> Json:
        """What a Lua script returns, run as Argo CD runs it: Lua 5.1 with goto, and base, table, os.time and os.date.

        `variables` are its globals (`obj`). JSON null is nil. An empty table comes back as an empty list, nothing as
        None, of several values the last. With `open_libs` there are string, math and coroutine too.
        """
        (outcome,) = await self._perform(LuaTask(script, _written(variables), open_libs), deadline_s)
        return _only("Lua script", outcome)

    async def jsonnet(self, program: Jsonnet, *, deadline_s: float = 10.0) -> Json:
        """What a jsonnet program manifests. Its imports are found among its files, or not at all."""
        name = posixpath.normpath(program.name)
        if posixpath.isabs(name) or name.startswith(".."):
            raise InvalidInput(f"{program.name} was not evaluated", why="its name leads out of its own files")
        task = JsonnetTask(
            name=name,
            files={**program.files, name: program.source.encode()},
            libs=program.libs,
            ext_vars=program.ext_vars,
            ext_codes=program.ext_codes,
            tla_vars=program.tla_vars,
            tla_codes=program.tla_codes,
        )
        (outcome,) = await self._perform(task, deadline_s)
        return _only("jsonnet program", outcome)

    async def _perform(self, task: JqTask | LuaTask | JsonnetTask, deadline_s: float) -> list[Outcome]:
        bounds = self._bounds
        frame = encode(Job(task, cpu_s=math.ceil(deadline_s) + 1, output_limit_bytes=bounds.output_bytes))
        if len(frame) > bounds.input_bytes:
            raise LimitExceeded("nothing was evaluated", why=f"the input is larger than {bounds.input_bytes} bytes")
        if deadline_s <= _SLICE_S:
            return await self._answered(task, frame, deadline_s)
        known = hashlib.blake2b(frame, digest_size=16).digest()
        if known not in self._slow:
            try:
                return await self._answered(task, frame, _SLICE_S)
            except TimedOut:
                self._remember(known)
        async with self._patient.place():
            began_s = asyncio.get_running_loop().time()
            outcomes = await self._answered(task, frame, deadline_s)
            if asyncio.get_running_loop().time() - began_s < _SLICE_S:
                self._slow.pop(known, None)  # the machine was busy, and not the program slow
            return outcomes

    def _remember(self, slow: bytes) -> None:
        if len(self._slow) >= _MOST_SLOW:
            del self._slow[next(iter(self._slow))]
        self._slow[slow] = None

    async def _answered(self, task: JqTask | LuaTask | JsonnetTask, frame: bytes, deadline_s: float) -> list[Outcome]:
        bounds = self._bounds
        self._refuse_closed()
        async with self._all.place():
            self._refuse_closed()
            link, stack = self._idle.pop() if self._idle else await self._hired()
            self._busy.add(link)
            try:
                self._refuse_closed()
                reply = await link.ask(frame, deadline_s, bounds.output_bytes + _OVERHEAD_BYTES)
                outcomes = _matched(task, reply.outcomes)
            except PlumblineError:
                await stack.aclose()
                self._refuse_closed()
                raise
            except BaseException:
                await stack.aclose()
                raise
            finally:
                self._busy.discard(link)
            if link.served >= bounds.evaluations or link.peak_bytes >= bounds.peak_bytes:
                await stack.aclose()
            else:
                self._idle.append((link, stack))
        return outcomes

    async def _hired(self) -> tuple[Link, contextlib.AsyncExitStack]:
        stack = contextlib.AsyncExitStack()
        limits = Limits(memory_bytes=self._bounds.memory_bytes, file_bytes=0, open_files=0, processes=0)
        return await stack.enter_async_context(linked(self._launcher, limits, self._bounds.policy)), stack

    def _refuse_closed(self) -> None:
        if self._closed:
            raise Transient("nothing was evaluated", why="the evaluator was closed")


def _written(value: Json) -> bytes:
    try:
        return encode_json(value)
    except RecursionError:
        raise LimitExceeded("nothing was evaluated", why="the input is nested too deeply") from None


def _matched(task: JqTask | LuaTask | JsonnetTask, outcomes: list[Outcome]) -> list[Outcome]:
    """One outcome for each input. A worker that gave up on all of them says so once."""
    expected = len(task.inputs) if isinstance(task, JqTask) else 1
    if len(outcomes) == 1 and isinstance(outcomes[0], Exceeded):
        return outcomes * expected
    if len(outcomes) != expected:
        raise EvaluationFailed("an evaluation gave no answer", why="its worker does not speak as workers do")
    return outcomes


def _only(what: str, outcome: Outcome) -> Json:
    results = _results(what, outcome)
    if isinstance(results, PlumblineError):
        raise results
    return results[0] if results else None


def _results(what: str, outcome: Outcome) -> list[Json] | PlumblineError:
    match outcome:
        case Failed(message):
            return EvaluationFailed(f"the {what} gave no answer", why=message)
        case Exceeded(message):
            return LimitExceeded(f"the {what} gave no answer", why=message)
        case Given(texts):
            try:
                return [decode(text) for text in texts]
            except msgspec.DecodeError as error:
                return EvaluationFailed(f"the {what} gave what is not JSON", why=str(error))
            except RecursionError:
                return LimitExceeded(f"the {what} gave no answer", why="its answer is nested too deeply")
