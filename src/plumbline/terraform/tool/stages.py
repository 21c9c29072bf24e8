"""Folders in which the tool works: one for each object, at the same path every time, so that init need not be repeated.

Everything of a run is removed when it ends but what init made. A path that stays the same also keeps modules that use their
own path from seeing a change in every run.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.errors import TimedOut
from plumbline.base.json import encode
from plumbline.base.process import scratch, sweep
from plumbline.terraform.tool.code import is_code
from plumbline.terraform.tool.facts import Facts
from plumbline.terraform.tool.finding import Tool
from plumbline.terraform.tool.places import LOCK, Places, clear, remove, write_private
from plumbline.terraform.tool.store import locked
from plumbline.terraform.work import Workplace

_RECORD: Final = "prepared.json"


class Prepared(msgspec.Struct, frozen=True):
    """What init was done for, and what it found."""

    inputs: str
    at: datetime
    facts: Facts
    lock: str = ""
    """The lock file as init left it."""


class Stages:
    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most

    @contextlib.asynccontextmanager
    async def entered(self, key: str, wait_s: float) -> AsyncIterator[Places]:
        """The folder of *key*, or a new one for nobody; held by us alone."""
        await asyncio.to_thread(self._folder.mkdir, mode=0o700, parents=True, exist_ok=True)
        if not key:
            async with scratch(self._folder) as root:
                yield Places(root)
            return
        root = self._folder / _name(key)
        async with contextlib.AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(wait_s):
                    await stack.enter_async_context(locked(self._folder / f"{_name(key)}.lock"))
            except TimeoutError:
                raise TimedOut(f"The run of {key} did not start", why="another run of it is under way") from None
            await asyncio.to_thread(self._made, root)
            try:
                yield Places(root)
            finally:
                await asyncio.shield(asyncio.to_thread(clear, Places(root)))

    async def forget(self, key: str) -> None:
        """Remove all that is kept for *key*."""
        async with locked(self._folder / f"{_name(key)}.lock"):
            await asyncio.to_thread(remove, self._folder / _name(key))

    def _made(self, root: Path) -> None:
        clear(Places(root))
        if not root.exists():
            self._make_room()
        root.mkdir(mode=0o700, exist_ok=True)

    def _make_room(self) -> None:
        """Forget those that were prepared longest ago. Losing one costs an init."""
        records = sorted(self._folder.glob(f"*/{_RECORD}"), key=lambda each: each.stat().st_mtime)
        for record in records[: max(len(records) - self._most + 1, 0)]:
            self._unless_held(record.parent, remove)

    def tidy(self) -> None:
        """Remove what runs have left that were killed together with us: files of theirs may be secret."""
        sweep(self._folder)
        for lock in self._folder.glob("*.lock"):
            self._unless_held(lock.with_suffix(""), lambda root: clear(Places(root)))

    def _unless_held(self, root: Path, act: Callable[[Path], None]) -> None:
        descriptor = os.open(root.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            act(root)
        except BlockingIOError:
            pass
        finally:
            os.close(descriptor)


def recall(places: Places, inputs: str) -> Prepared | None:
    """What is left of an init for the same *inputs*."""
    try:
        prepared = msgspec.json.decode((places.root / _RECORD).read_bytes(), type=Prepared)
    except (OSError, msgspec.MsgspecError):
        return None
    return prepared if prepared.inputs == inputs and places.data.is_dir() else None


def reuse(prepared: Prepared, module: Path) -> None:
    if prepared.lock:
        write_private(module / LOCK, prepared.lock.encode())


def remember(places: Places, module: Path, prepared: Prepared) -> Prepared:
    """Keep what init made, with the lock file that it wrote."""
    with contextlib.suppress(OSError):
        prepared = msgspec.structs.replace(prepared, lock=(module / LOCK).read_text())
    write_private(places.root / _RECORD, encode(prepared))
    return prepared


def forget(places: Places) -> None:
    (places.root / _RECORD).unlink(missing_ok=True)
    remove(places.data)
    places.data.mkdir(mode=0o700)


def inputs(tool: Tool, workplace: Workplace, needed: str) -> str:
    """A digest over everything that init depends on."""
    digest = hashlib.sha256()

    def add(*parts: str | bytes) -> None:
        for part in parts:
            raw = part.encode() if isinstance(part, str) else part
            digest.update(b"%d:%s" % (len(raw), raw))

    add(tool.name, tool.version, tool.fingerprint, workplace.path, workplace.workspace, needed)
    add(str(workplace.upgrade), workplace.command_line_config)
    for each in sorted(workplace.backend, key=lambda argument: argument.name):
        add(each.name, each.value.reveal())
    for placed in workplace.files:
        # OpenTofu lets variables decide where modules and state are.
        counts = is_code(placed.path.rpartition("/")[2]) or placed.path == workplace.command_line_config
        if counts or (tool.name == "tofu" and placed.place == "module"):
            add(placed.place, placed.path, placed.content.reveal())
    return digest.hexdigest()


def _name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:24]
