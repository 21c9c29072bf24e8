"""Running the tool in a folder that is ready for it: one command at a time, masked, within what is left of the deadline."""

import asyncio
import contextlib
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

import msgspec

from plumbline.base.errors import PlumblineError, TimedOut, ToolFailed
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Command, Confinement, Finished, Limits, Streamed, run, streamed
from plumbline.base.process.masking import Mask
from plumbline.terraform.tool import diagnostics, gentle
from plumbline.terraform.tool.diagnostics import Diagnostic
from plumbline.terraform.tool.finding import Tool
from plumbline.terraform.work import Workplace

_TOLD_BYTES: Final = 1 << 20
_SHORTEST: Final = 6
"""Of texts within files that are not in Git: shorter ones are words such as names of regions and stages."""
_LINE_BYTES: Final = 16 << 20
_STOPPING_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What is more is refused, or ends the tool."""

    plan_bytes: int = 64 << 20
    """Of a plan's file."""
    answer_bytes: int = 256 << 20
    """Of what a command prints: a state, a plan as JSON, what an apply tells."""
    file_bytes: int | None = None
    """Of one file that the tool writes."""


class Ended(NamedTuple):
    asked: str
    """Why it was asked to end; empty if it was not."""
    failed: ToolFailed | None


class Desk:
    """What the commands of all runs share: so many at once, in the order in which they asked, and so many of one tenant."""

    def __init__(self, parallel: int, share: int | None = None) -> None:
        self._turns = asyncio.Semaphore(parallel)
        self._share = share or parallel
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        """Of each tenant, for as long as anybody waits or works there."""
        self.ran: Counter[str] = Counter()
        """How often each command was run."""

    @contextlib.asynccontextmanager
    async def turn(self, tenant: str) -> AsyncIterator[None]:
        own = self._own.get(tenant) or asyncio.Semaphore(self._share)
        self._own[tenant] = own
        async with own, self._turns:
            yield


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    desk: Desk
    tool: Tool
    module: Path
    environment: Mapping[str, str | Plaintext]
    confinement: Confinement
    until_s: float
    """On the clock of the event loop."""
    grace_s: float
    bounds: Bounds
    secrets: tuple[Plaintext, ...]
    tenant: str = ""
    """Whose run it is, where several share the desk."""
    names: tuple[tuple[str, str], ...] = field(default=())
    """Paths of ours, and what they are called in messages."""

    async def run(
        self,
        *arguments: str,
        stdin: bytes | Plaintext = b"",
        accept: frozenset[int] = frozenset({0}),
        raw: bool = False,
    ) -> Finished:
        """Run one command. *raw* where its output is an answer that may hold secrets; it is in no error then."""
        command = Command(
            argv=(str(self.tool.path), *arguments),
            **self._common(),
            stdin=stdin,
            deadline_s=self.left_s(arguments[0]),
            grace_s=_STOPPING_S,
            mask_stdout=not raw,
            accept=None,
            stdout_limit_bytes=self.bounds.answer_bytes,
        )
        async with self._turn(arguments[0]):
            finished = await run(command)
        if finished.exit_code not in accept:
            raise self.failure(arguments[0], self._told(finished, raw=raw), finished)
        return finished

    async def follow(self, *arguments: str, heard: Callable[[dict[str, Any]], None]) -> "Ended":
        """Run a command that changes things, and hand over each event as it comes.

        At the deadline, and when cancelled, it is asked to finish what it is at, and has the grace to do so; only then it
        is killed. Nothing else ends it, however much it says. Raises TimedOut if it had to be killed.
        """
        soft_s = self.left_s(arguments[0])
        command = Command(
            argv=(*_gently(), str(self.tool.path), *arguments),
            **self._common(gently=True),
            deadline_s=soft_s + self.grace_s,
            grace_s=0.0,
            stdout_limit_bytes=sys.maxsize,
        )
        asked = ""
        try:
            async with self._turn(arguments[0]), streamed(command, fed=True) as tool:
                asked = await _heard(tool, heard, soft_s)
        except ToolFailed as failed:
            return Ended(asked, failed)
        return Ended(asked, None)

    def left_s(self, verb: str) -> float:
        left_s = self.until_s - asyncio.get_running_loop().time()
        if left_s <= 0:
            raise TimedOut(f"{self.tool.name} {verb} was not run", why="the time for the whole run is over")
        return left_s

    def extended(self) -> "Commands":
        """The same with the grace as time, where there is less left: what an apply leaves has to be looked after."""
        return replace(self, until_s=max(self.until_s, asyncio.get_running_loop().time() + self.grace_s))

    def plain(self, text: str) -> str:
        """*text* without secrets and without paths that mean nothing to anybody else."""
        masked = Mask([*self.secrets, *_values(self.environment)]).apply(text.encode()).decode(errors="replace")
        for path, called in self.names:
            masked = masked.replace(path, called)
        return masked

    def failure(self, verb: str, told: Iterable[Diagnostic], how: Finished | ToolFailed) -> PlumblineError:
        """The error for a command that ended badly, fit to be shown."""
        failed = how if isinstance(how, ToolFailed) else _failed(how)
        clean = [
            Diagnostic(self.plain(each.summary), self.plain(each.detail), self.plain(each.file), each.line)
            for each in told
        ]
        why = ToolFailed(failed.what, exit_code=failed.exit_code, why=self.plain(failed.why))
        return diagnostics.error(f"{self.tool.name} {verb} failed", clean, why)

    def _told(self, finished: Finished, *, raw: bool) -> list[Diagnostic]:
        told = list(diagnostics.from_text(finished.stderr.decode(errors="replace")))
        if not raw:
            events = (from_line(line) for line in finished.stdout.splitlines() if line.startswith(b"{"))
            told += [each for event in events if (each := diagnostics.from_event(event)) is not None]
        return told

    def _common(self, *, gently: bool = False) -> dict[str, Any]:
        confinement = self.confinement
        if gently:
            parts = (self.tool.path, Path(sys.base_prefix), Path(sys.base_exec_prefix), Path(gentle.__file__))
            confinement = Confinement(
                readable=confinement.readable,
                writable=confinement.writable,
                executable=(*confinement.executable, *dict.fromkeys(parts)),
                network=confinement.network,
                unix_sockets=confinement.unix_sockets,
                policy=confinement.policy,
            )
        return {
            "cwd": self.module,
            "environment": self.environment,
            "secrets": self.secrets,
            "stderr_limit_bytes": _TOLD_BYTES,
            "limits": Limits(file_bytes=self.bounds.file_bytes),
            "confinement": confinement,
        }

    @contextlib.asynccontextmanager
    async def _turn(self, verb: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self.left_s(verb)) as waiting, self.desk.turn(self.tenant):
                waiting.reschedule(None)
                self.desk.ran[verb] += 1
                yield
        except TimeoutError:
            raise TimedOut(f"{self.tool.name} {verb} was not run", why="other runs took all the time it had") from None


async def _heard(tool: Streamed, heard: Callable[[dict[str, Any]], None], soft_s: float) -> str:
    lines = _Lines(tool, heard)
    try:
        async with asyncio.timeout(soft_s):
            await lines.to_end()
    except TimeoutError:
        await tool.feed(gentle.STOP)
        await lines.to_end()
        return f"it ran longer than {soft_s:g} s"
    except BaseException:
        await tool.feed(gentle.STOP)
        await lines.to_end()
        raise
    return ""


class _Lines:
    """What a tool writes, line by line; may be left in the middle and taken up again."""

    def __init__(self, tool: Streamed, heard: Callable[[dict[str, Any]], None]) -> None:
        self._tool = tool
        self._heard = heard
        self._rest = b""

    async def to_end(self) -> None:
        while piece := await self._tool.read():
            *lines, self._rest = (self._rest + piece).split(b"\n")
            if len(self._rest) > _LINE_BYTES:
                self._rest = b""
            for line in lines:
                self._heard(from_line(line))


def from_line(line: bytes) -> dict[str, Any]:
    """One event of the JSON stream; empty for what is none."""
    try:
        event = decode(line)
    except msgspec.MsgspecError:
        return {}
    return event if isinstance(event, dict) else {}


def worth_masking(workplace: Workplace) -> tuple[Plaintext, ...]:
    """Every value that was given to the tool and must not be in what is said about it."""
    arguments = (*workplace.environment, *workplace.backend)
    return (*(each.value for each in arguments), *(text for each in workplace.files for text in _texts(each.content)))


def _texts(content: Plaintext) -> Iterator[Plaintext]:
    """A file's content, and if it is JSON each text in it: that is how variables are written."""
    yield content
    try:
        pending = [decode(content.reveal())]
    except msgspec.MsgspecError:
        return
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
        elif isinstance(value, str) and len(value) >= _SHORTEST:
            yield Plaintext(value)


def _values(environment: Mapping[str, str | Plaintext]) -> Iterator[Plaintext]:
    return (value for value in environment.values() if isinstance(value, Plaintext))


def _gently() -> tuple[str, ...]:
    # By its real path: the folder of a virtual environment is out of reach in there.
    return (str(Path(sys.executable).resolve()), "-I", "-S", "-X", "utf8", gentle.__file__)


def _failed(finished: Finished) -> ToolFailed:
    end = f"exit code {finished.exit_code}" if finished.exit_code >= 0 else f"ended by signal {-finished.exit_code}"
    last = finished.stderr.decode(errors="replace").strip()[-_TOLD_BYTES // 1024 :]
    return ToolFailed("", exit_code=finished.exit_code, why=f"{end}: {last}" if last else end)
