"""Repositories in a folder."""

import asyncio
import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, NotFound, StorageFailed, ToolFailed
from plumbline.base.ids import Ids
from plumbline.base.log import logger
from plumbline.base.process import run
from plumbline.forge.local.beginnings import Beginning, import_stream
from plumbline.forge.local.git import Bounds, RefUpdate, git
from plumbline.forge.local.gitconfig import values
from plumbline.forge.local.names import checked_name
from plumbline.forge.webhooks import Push

BRANCH: Final = "main"
_SUFFIX: Final = ".git"
_DRAFT: Final = ".draft-"
_STANDS_FOR: Final = "plumbline.standsFor"
_CONFIG_BYTES: Final = 1 << 20
_ADDRESS: Final = re.compile(r"(?:(?:https?|ssh|oci)://(?:[^\s@/:]+@)?[^\s@/]+/|[^\s@/:]+@[^\s@/:]+:)[^\s]+", re.ASCII)
_LONGEST_URL: Final = 2048
_HEADS: Final = "refs/heads/"
_GC_S: Final = 600.0

_log = logger("forge.local")


class _Read(NamedTuple):
    """A configuration file as it was when it was last read."""

    stamp: tuple[int, int, int]
    urls: tuple[str, ...]


class LocalForge:
    """Bare repositories beneath *folder*."""

    def __init__(self, folder: Path, ids: Ids) -> None:
        self._folder = folder
        self._ids = ids
        self._bases: tuple[str, ...] = ()
        self._read: dict[Path, _Read] = {}

    def serve_at(self, *bases: str) -> None:
        """Say where they are served by their names: addresses that end with a slash."""
        self._bases = bases

    def path(self, name: str) -> Path:
        """Where the repository is, or NotFound."""
        path = self._place(name)
        if not (path / "HEAD").is_file():
            raise NotFound(f"there is no repository {checked_name(name)!r}", hint="Create it by pushing to it.")
        return path

    def has(self, name: str) -> bool:
        return (self._place(name) / "HEAD").is_file()

    def names(self) -> tuple[str, ...]:
        found = (path.relative_to(self._folder).as_posix() for path in self._repositories(self._folder, 4))
        return tuple(sorted(name.removesuffix(_SUFFIX) for name in found))

    async def create(self, name: str) -> bool:
        """Make an empty one unless it is there already; whether it was made. Complete from the first moment on."""
        place = self._place(name)
        if self.has(name):
            return False
        draft = self._folder / f"{_DRAFT}{self._ids.uid()}"
        try:
            draft.mkdir(mode=0o700, parents=True)
            await run(
                git(
                    "init", "--quiet", "--bare", "--template=", f"--initial-branch={BRANCH}", ".", at=draft, writes=True
                )
            )
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.rename(place)
        except OSError as failed:
            if self.has(name):
                # Somebody else was faster by a moment.
                return False
            raise StorageFailed(f"the repository {checked_name(name)!r} was not created", why=str(failed)) from failed
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        _log.info("repository created", name=checked_name(name))
        return True

    async def begin(self, name: str, beginning: Beginning) -> bool:
        """Give it its first commit unless it has one; whether it was given. Never half of it."""
        if await self.begun(name):
            return False
        path = self.path(name)
        command = git("fast-import", "--quiet", "--done", at=path, writes=True, stdin=import_stream(beginning, BRANCH))
        try:
            await run(command)
        except ToolFailed:
            # Somebody pushed to it in between: what they pushed is its beginning.
            if await self.begun(name):
                return False
            raise
        return True

    async def begun(self, name: str) -> bool:
        """Whether there is a commit on the branch that it shows first."""
        return await asyncio.to_thread(_head_is_born, self.path(name))

    async def declare(self, name: str, urls: Sequence[str]) -> None:
        """Have it stand for the repositories at *urls*, beside those that it stands for already."""
        path = self.path(name)
        known = self._declared(path)
        for url in urls:
            if not _is_address(url):
                raise InvalidInput(f"{url[:_LONGEST_URL]!r} is no address of a repository")
        for url in dict.fromkeys(urls):
            if url not in known:
                await run(git("config", "--file", "config", "--add", _STANDS_FOR, url, at=path, writes=True))

    def stands_for(self) -> Mapping[str, Path]:
        """Addresses that mean a repository here: those that each declares, and those that it is served at.

        Of two repositories that declare the same address, the one whose name comes first has it.
        """
        found: dict[str, Path] = {}
        for name in self.names():
            path = self._place(name)
            for url in (*(f"{base}{name}{_SUFFIX}" for base in self._bases), *self._declared(path)):
                if found.setdefault(url, path) != path:
                    _log.warning("address declared twice", url=url, repository=name)
        return found

    def addresses(self, name: str) -> tuple[str, ...]:
        """All addresses of one repository."""
        path = self.path(name)
        bare = checked_name(name)
        return (*(f"{base}{bare}{_SUFFIX}" for base in self._bases), *self._declared(path))

    def pushes(self, name: str, updates: Sequence[RefUpdate]) -> tuple[Push, ...]:
        """What a push to it means to whoever follows the repositories that it stands for."""
        urls = self.addresses(name)
        return tuple(Push(urls, update.ref, update.before, update.after) for update in updates) if urls else ()

    async def settle_head(self, name: str, updates: Sequence[RefUpdate]) -> None:
        """If HEAD names a branch that nobody ever pushed, have it name one that somebody did."""
        path = self.path(name)
        pushed = [update.ref for update in updates if update.ref.startswith(_HEADS) and update.after.strip("0")]
        if not pushed or await self.begun(name):
            return
        preferred = [ref for ref in (f"{_HEADS}main", f"{_HEADS}master") if ref in pushed]
        await run(git("symbolic-ref", "HEAD", (preferred or pushed)[0], at=path, writes=True))

    async def tidy(self, name: str) -> None:
        """Pack what many small pushes left behind, if it is much."""
        await run(git("gc", "--auto", "--quiet", at=self.path(name), writes=True, bounds=Bounds(deadline_s=_GC_S)))

    def sweep(self) -> None:
        """Remove what was left behind by a program that was killed while it made a repository."""
        for draft in self._folder.glob(f"{_DRAFT}*"):
            shutil.rmtree(draft, ignore_errors=True)

    def _place(self, name: str) -> Path:
        return self._folder / f"{checked_name(name)}{_SUFFIX}"

    def _repositories(self, folder: Path, levels: int) -> Iterator[Path]:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or not entry.is_dir(follow_symlinks=False):
                    continue
                if entry.name.endswith(_SUFFIX):
                    yield Path(entry.path)
                elif levels > 1:
                    yield from self._repositories(Path(entry.path), levels - 1)

    def _declared(self, path: Path) -> tuple[str, ...]:
        """Read again only if the file is another one than before."""
        try:
            stat = (path / "config").stat()
            stamp = stat.st_mtime_ns, stat.st_size, stat.st_ino
            read = self._read.get(path)
            if read is None or read.stamp != stamp:
                with (path / "config").open(errors="replace") as file:
                    listed = values(file.read(_CONFIG_BYTES), *_STANDS_FOR.lower().split("."))
                read = self._read[path] = _Read(stamp, tuple(url for url in listed if _is_address(url)))
        except OSError:
            return ()
        return read.urls


def _is_address(url: str) -> bool:
    """Without a password, and of a kind that manifests name."""
    return len(url) <= _LONGEST_URL and _ADDRESS.fullmatch(url) is not None


def _head_is_born(path: Path) -> bool:
    head = (path / "HEAD").read_text(errors="replace").strip()
    ref = head.removeprefix("ref: ")
    if ref == head or (path / ref).is_file():
        return True
    try:
        packed = (path / "packed-refs").read_bytes()
    except FileNotFoundError:
        return False
    return f" {ref}\n".encode() in packed
