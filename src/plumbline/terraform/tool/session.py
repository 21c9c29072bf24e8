"""The tool in one prepared folder: plan, apply, and what is there to be read."""

import asyncio
import io
import zipfile
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from plumbline.base.errors import (
    ApplyFailed,
    GarbledReply,
    Interrupted,
    LimitExceeded,
    PlumblineError,
    StorageFailed,
    TimedOut,
    ToolFailed,
)
from plumbline.base.json import Json, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.tool import diagnostics
from plumbline.terraform.tool.commands import Commands
from plumbline.terraform.tool.diagnostics import Diagnostic
from plumbline.terraform.tool.facts import Facts
from plumbline.terraform.tool.following import Following
from plumbline.terraform.tool.places import Places, joined_source, leftover, settle, write_private
from plumbline.terraform.work import Applied, Applying, Output, Planned, Planning, Step, Workplace

_T = TypeVar("_T")
_Failed = TypeVar("_Failed", bound=ApplyFailed)
_NONE: Final = Plaintext(b"")
_CHANGES: Final = 2
_LOOK: Final = "Look at what was done, correct the cause, and make a new plan."
_SEEK: Final = (
    "Make a new plan; look for what was unfinished, which may exist without being in the state, and import it."
)
_QUIET: Final = ("-input=false", "-no-color")


class _Output(msgspec.Struct, frozen=True):
    type: Json
    value: Json
    sensitive: bool = False


class Session:
    """`facts` are known before anything of the module has run: who has a policy looks at them first."""

    def __init__(
        self,
        commands: Commands,
        places: Places,
        workplace: Workplace,
        facts: Facts,
        prepare: Callable[[], Awaitable[Facts]] | None = None,
    ) -> None:
        """*prepare* repeats an init that was left out because one was there."""
        self.facts = facts
        self.leftover = leftover(places.root)
        """The state that an earlier run of the object could neither save nor hand over, if it was killed: push it first."""
        self._commands = commands
        self._places = places
        self._workplace = workplace
        self._prepare = prepare
        self._var_files = tuple(f"-var-file={joined_source(places, each)}" for each in workplace.var_files)

    async def plan(self, planning: Planning = Planning()) -> Planned:  # noqa: B008 - a frozen value
        """Plan, with one command where nothing changes. Without changes there is no text and no JSON of it."""
        arguments = (*_planning(planning), *self._var_files, f"-out={self._places.plan}")
        changes = await self._again(lambda: self._planned(arguments))
        plan = await asyncio.to_thread(self._plan_bytes)
        if not changes:
            return Planned(plan=plan, json=_NONE, text=_NONE, changes=False)
        json, text = await self.shown(plan)
        return Planned(plan=plan, json=json, text=text, changes=True)

    async def shown(self, plan: Plaintext) -> tuple[Plaintext, Plaintext]:
        """A plan as JSON and as text."""
        path = await self._laid(plan)
        json = await self._commands.run("show", "-json", "-no-color", path, raw=True)
        text = await self._commands.run("show", "-no-color", path, raw=True)
        return Plaintext(json.stdout), Plaintext(text.stdout)

    async def apply(self, applying: Applying, progress: Callable[[Step], None] = lambda _: None) -> Applied:
        """Apply exactly the given plan. *progress* hears of each step as it begins and ends.

        Raises ApplyFailed once something was begun, and Interrupted if it was ended before it was done; both say what was
        unfinished, and carry the state if the tool could not save it. PlanStale and others before that.
        """
        path = await self._laid(applying.plan)
        parallel = (f"-parallelism={applying.parallelism}",) if applying.parallelism > 0 else ()
        arguments = ("apply", "-json", *_QUIET, _lock(applying.lock), *parallel, path)
        return await self._again(lambda: self._applied(arguments, progress))

    async def outputs(self) -> dict[str, Output]:
        finished = await self._again(lambda: self._commands.run("output", "-json", "-no-color", raw=True))
        try:
            found = msgspec.json.decode(finished.stdout, type=dict[str, _Output])
        except msgspec.MsgspecError:
            raise GarbledReply("The outputs cannot be read", why="they are not as the tool documents them") from None
        return {
            name: Output(type=encode(each.type).decode(), value=Plaintext(encode(each.value)), sensitive=each.sensitive)
            for name, each in found.items()
        }

    async def state(self) -> Plaintext:
        """The state as it is stored; without resources, or empty, where there is none."""
        finished = await self._again(lambda: self._commands.run("state", "pull", "-no-color", raw=True))
        return Plaintext(finished.stdout.strip())

    async def push(self, state: Plaintext, *, force: bool = False) -> None:
        """Store *state*; *force* even if it is older, or of another lineage. What was left over is settled by it."""
        forced = ("-force",) if force else ()
        await self._again(
            lambda: self._commands.run("state", "push", "-no-color", "-lock=false", *forced, "-", stdin=state, raw=True)
        )
        await asyncio.to_thread(settle, self._places, self._commands.module)
        self.leftover = None

    async def unlock(self, lock_id: str) -> None:
        """Open the lock of somebody else, who must be known to be gone."""
        await self._again(lambda: self._commands.run("force-unlock", "-no-color", "-force", "--", lock_id))

    async def _planned(self, arguments: tuple[str, ...]) -> bool:
        accept = frozenset({0, _CHANGES})
        return (await self._commands.run("plan", *arguments, accept=accept)).exit_code == _CHANGES

    async def _applied(self, arguments: tuple[str, ...], progress: Callable[[Step], None]) -> Applied:
        following = Following(progress)
        try:
            ended = await self._commands.follow(*arguments, heard=following.hear)
        except TimedOut as error:
            raise self._interrupted(following, f"{error.why}, and did not end when it was asked to") from None
        if ended.failed is not None:
            raise self._interrupted(following, ended.asked) if ended.asked else self._failure(following, ended.failed)
        return Applied(steps=tuple(following.steps))

    async def _again(self, command: Callable[[], Awaitable[_T]]) -> _T:
        """Run a command, a second time after an init if the first was done without one and it shows."""
        prepare, self._prepare = self._prepare, None
        try:
            return await command()
        except ToolFailed as error:
            begun = isinstance(error, ApplyFailed)
            if prepare is None or begun or not diagnostics.unprepared([Diagnostic(error.why)]):
                raise
        self.facts = await prepare()
        return await command()

    def _failure(self, following: Following, failed: ToolFailed) -> PlumblineError:
        error = self._commands.failure("apply", following.told, failed)
        state = leftover(self._commands.module)
        if not following.steps and state is None:
            return error
        return self._left(ApplyFailed(error.what, exit_code=failed.exit_code, why=error.why, hint=_LOOK), following)

    def _interrupted(self, following: Following, why: str) -> Interrupted:
        what = f"{self._commands.tool.name} apply was interrupted"
        return self._left(Interrupted(what, why=self._commands.plain(why), hint=_SEEK), following)

    def _left(self, error: _Failed, following: Following) -> _Failed:
        """*error* with all that the caller has to look after, and time to do so."""
        error.unfinished = following.unfinished
        error.state = leftover(self._commands.module)
        self._commands = self._commands.extended()
        return error

    async def _laid(self, plan: Plaintext) -> str:
        path = self._places.own / "plan"
        await asyncio.to_thread(write_private, path, plan.reveal())
        return str(path)

    def _plan_bytes(self) -> Plaintext:
        path, most = self._places.plan, self._commands.bounds.plan_bytes
        size = _size(path)
        if size > most:
            path.unlink()
            raise LimitExceeded("The plan cannot be kept", why=f"it has {size:,} bytes, and {most:,} is the limit")
        content = path.read_bytes() if size else b""
        if not _whole(content):
            # Terraform does not notice that the disk was full when it wrote its plan.
            raise StorageFailed("The plan cannot be kept", why="the tool could not write all of it")
        return Plaintext(content)


def _planning(planning: Planning) -> tuple[str, ...]:
    timeout = (f"-lock-timeout={planning.lock_timeout_s:g}s",) if planning.lock and planning.lock_timeout_s else ()
    destroy = ("-destroy",) if planning.destroy else ()
    targets = tuple(f"-target={each}" for each in planning.targets)
    return ("-json", "-detailed-exitcode", *_QUIET, _lock(planning.lock), *timeout, *destroy, *targets)


def _lock(wanted: bool) -> str:  # noqa: FBT001 - there is nothing else to say
    return f"-lock={str(wanted).lower()}"


def _whole(plan: bytes) -> bool:
    """Whether all of a plan is there: an archive, or the name of one that is kept remotely."""
    try:
        if plan.startswith(b"{"):
            return isinstance(decode(plan), dict)
        with zipfile.ZipFile(io.BytesIO(plan)) as archive:
            return archive.testzip() is None
    except (zipfile.BadZipFile, msgspec.MsgspecError, EOFError, zlib.error):
        return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
