"""Providers, each installed once for all runs of this machine: unpacked, read-only, and never changed afterwards.

The tool's own cache may not be written by two at once, so nothing here is: a package is copied beside its place, checked
against the hash that the tool recorded for it, and renamed. Runs are given the whole store as a mirror of files. Packages
are known by address, version and platform; a second one with another content is refused.
"""

import asyncio
import base64
import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.errors import Corrupted, InvalidInput, StorageFailed, TimedOut
from plumbline.base.json import encode
from plumbline.base.tree import joined
from plumbline.terraform.tool.lockfile import Chosen
from plumbline.terraform.tool.places import remove, write_private

_PAUSE_S: Final = 0.05


class Record(msgspec.Struct, frozen=True):
    """What is known of a package: the hash of its content, and those of the archives of its release."""

    content: str
    archives: tuple[str, ...] = ()


class Store:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.mirror = folder / "mirror"

    def prepare(self) -> None:
        for folder in (self.mirror, self._folder / "records", self._folder / "asked"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextlib.asynccontextmanager
    async def installing(self, tenant: str, wait_s: float) -> AsyncIterator[bool]:
        """Only one of each tenant, over all processes that share the folder; whether there was another one first.

        Two that install the same are none the worse for it; one that waits for a registry must not keep others waiting.
        """
        name = f"installing-{hashlib.sha256(tenant.encode()).hexdigest()[:16]}" if tenant else "installing"
        async with contextlib.AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(wait_s):
                    waited = await stack.enter_async_context(locked(self._folder / name))
            except TimeoutError:
                raise TimedOut(
                    "No providers were installed", why="another run that installs some took all the time"
                ) from None
            yield waited

    def completed(self, chosen: Iterable[Chosen], platform: str) -> tuple[Chosen, ...]:
        """*chosen* with the hashes of our packages, for those releases that are proven to be the same.

        A lock file made on another platform has the hashes of archives only, and those of all platforms at once: where
        it has all of ours, ours is among what it trusts.
        """
        return tuple(self._completed(each, platform) for each in chosen)

    def admit(self, chosen: Iterable[Chosen], installed: Path, platform: str) -> None:
        """Take over what the tool has *installed* of *chosen*; Corrupted where it is not what it says."""
        for each in chosen:
            package = installed / _path(each, platform)
            if package.is_dir():
                self._admit(each, package.resolve(), platform)

    def asked(self, chosen: Iterable[Chosen]) -> datetime | None:
        """When somebody last asked for the newest versions under the same constraints."""
        try:
            return datetime.fromisoformat(self._asking(chosen).read_text())
        except (OSError, ValueError):
            return None

    def note_asked(self, chosen: Iterable[Chosen], now: datetime) -> None:
        write_private(self._asking(chosen), now.isoformat().encode())

    def _asking(self, chosen: Iterable[Chosen]) -> Path:
        named = "\n".join(sorted(f"{each.address} {each.constraints}" for each in chosen))
        return self._folder / "asked" / hashlib.sha256(named.encode()).hexdigest()

    def _completed(self, chosen: Chosen, platform: str) -> Chosen:
        record = self._record(chosen, platform)
        if record is None or record.content in chosen.hashes:
            return chosen
        proven = bool(record.archives) and set(record.archives) <= set(chosen.hashes)
        return chosen._replace(hashes=(*chosen.hashes, record.content)) if proven or not chosen.hashes else chosen

    def _record(self, chosen: Chosen, platform: str) -> Record | None:
        try:
            return msgspec.json.decode(self._record_path(chosen, platform).read_bytes(), type=Record)
        except (OSError, msgspec.MsgspecError):
            return None

    def _record_path(self, chosen: Chosen, platform: str) -> Path:
        return (self._folder / "records" / _path(chosen, platform)).with_suffix(".json")

    def _admit(self, chosen: Chosen, package: Path, platform: str) -> None:
        target = self.mirror / _path(chosen, platform)
        content = content_hash(package)
        if content not in chosen.hashes:
            raise Corrupted(
                f"The provider {chosen.address} {chosen.version} was not installed",
                why="what is on the disk is not what the tool has checked",
            )
        if target.exists():
            if content_hash(target) != content:
                raise Corrupted(
                    f"The provider {chosen.address} {chosen.version} was not installed",
                    why="there is another package of the same version already",
                    hint=f"One of the two was tampered with. Find out which; if it is ours, remove {target}.",
                )
            return
        archives = tuple(each for each in chosen.hashes if each.startswith("zh:"))
        try:
            write_private(self._record_path(chosen, platform), encode(Record(content, archives)))
            _place(package, target, self._folder)
        except OSError as error:
            if target.exists() and content_hash(target) == content:
                return  # somebody else was faster
            raise StorageFailed(
                f"The provider {chosen.address} {chosen.version} was not installed", why=error.strerror or str(error)
            ) from error


def content_hash(package: Path) -> str:
    """The hash of a package's files as lock files have it (`h1:`). Refuses what is no plain file."""
    lines = []
    for path in sorted(package.rglob("*"), key=lambda each: each.relative_to(package).as_posix()):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise Corrupted(f"The package {package.name} cannot be used", why="it holds a link or a device")
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            lines.append(f"{digest}  {path.relative_to(package).as_posix()}\n")
    return "h1:" + base64.b64encode(hashlib.sha256("".join(lines).encode()).digest()).decode()


@contextlib.asynccontextmanager
async def locked(path: Path) -> AsyncIterator[bool]:
    """Hold the lock on the file *path*, among all processes; whether others had it first. It ends with its holder."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    waited = False
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waited = True
                await asyncio.sleep(_PAUSE_S)
        yield waited
    finally:
        os.close(descriptor)


def _path(chosen: Chosen, platform: str) -> str:
    """Where a package is, as the tool looks for it; refused if its name leads elsewhere."""
    path = f"{chosen.address}/{chosen.version}/{platform}"
    if joined("", path) != path or path.count("/") != _SLASHES:
        raise InvalidInput(f"Cannot use the provider {chosen.address!r}", why="that is no address of a provider")
    return path


_SLASHES: Final = 4


def _place(package: Path, target: Path, folder: Path) -> None:
    staged = Path(tempfile.mkdtemp(prefix=".staged-", dir=folder))
    try:
        copy = staged / "package"
        shutil.copytree(package, copy)
        for path in copy.rglob("*"):
            path.chmod(0o555 if path.is_dir() or os.access(path, os.X_OK) else 0o444)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        copy.rename(target)
        target.chmod(0o555)
    finally:
        remove(staged)
