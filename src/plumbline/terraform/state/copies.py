"""States copied outside of the cluster: every version that an apply left, sealed, for the day when the cluster is gone."""

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Protocol, TypeVar

import msgspec

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import BadDocument, Corrupted, LimitExceeded, NotFound, StorageFailed, TooNew
from plumbline.base.json import encode
from plumbline.base.log import logger
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.state import sealing
from plumbline.terraform.state.document import parsed
from plumbline.terraform.state.files import keep_file, key_at, names, opening, sweep, whole
from plumbline.terraform.state.packing import packed, unpacked
from plumbline.terraform.state.place import Place

_SUFFIX: Final = ".copy"

log = logger(__name__)
T = TypeVar("T")


class Retention(msgspec.Struct, frozen=True):
    last: int = 30
    days: int = 90
    """For so long one of each day is kept besides."""


class Version(msgspec.Struct, frozen=True, kw_only=True):
    serial: int
    lineage: str
    at: str
    sha256: str
    """Of the state as the tool wrote it."""
    resources: int
    tool_version: str = ""
    revision: str = ""
    plan: str = ""
    """The digest of the plan that was applied."""
    name: str = ""
    """Of its file."""

    def __str__(self) -> str:
        revision = f", revision {self.revision}" if self.revision else ""
        return f"serial {self.serial} of {self.at} with {self.resources} resources{revision}"


class Elsewhere(Protocol):
    """Runs what blocks where it holds nobody up."""

    def __call__(self, function: Callable[[], T], /) -> Awaitable[T]: ...


class Copies:
    """Below *folder*, which only its owner can look into. Files that were changed are passed over, and told."""

    def __init__(
        self,
        folder: Path,
        key: Plaintext,
        clock: Clock,
        *,
        retention: Retention | None = None,
        elsewhere: Elsewhere = asyncio.to_thread,
    ) -> None:
        self._folder = folder
        self._key = key
        self._clock = clock
        self._retention = retention or Retention()
        self._elsewhere = elsewhere

    @classmethod
    def at(cls, folder: Path, key_file: Path, clock: Clock) -> "Copies":
        """With the key in *key_file*, made where there is none. Blocks. Raises Corrupted where copies lost their key."""
        key = key_at(key_file, makes=not any(folder.glob(f"*/*/*/*{_SUFFIX}")))
        sweep(folder)
        return cls(folder, key, clock)

    async def keep(self, place: Place, text: Plaintext, *, revision: str = "", plan: str = "") -> Version:
        """Copy a state, unless that version is the last one already. Raises StorageFailed where the disk is in the way.

        *revision* and the digest of the *plan* say what made it so.
        """
        return await self._elsewhere(lambda: self._keep(place, text.reveal(), revision, plan))

    async def list(self, place: Place) -> tuple[Version, ...]:
        """The latest first."""
        return await self._elsewhere(lambda: tuple(self._versions(place)))

    async def read(self, place: Place, version: Version) -> Plaintext:
        """The state as it was. Raises Corrupted or NotFound."""
        return await self._elsewhere(lambda: self._read(place, version))

    async def latest_good(self, place: Place) -> Version | None:
        """The latest that opens and is a state."""
        return await self._elsewhere(lambda: self._latest_good(place))

    async def offer(self, place: Place) -> str:
        """What can be had in place of a state that is damaged."""
        good = await self.latest_good(place)
        return f"The last good copy is {good}." if good else f"There is no good copy of {place}."

    def _keep(self, place: Place, text: bytes, revision: str, plan: str) -> Version:
        document = parsed(text)
        version = Version(
            serial=document.serial,
            lineage=document.lineage,
            at=rfc3339(self._clock.now()),
            sha256=hashlib.sha256(text).hexdigest(),
            resources=len(document.instances),
            tool_version=document.tool_version,
            revision=revision,
            plan=plan,
        )
        versions = list(self._versions(place))
        same = (version.serial, version.lineage, version.sha256)
        if versions and (versions[0].serial, versions[0].lineage, versions[0].sha256) == same:
            return versions[0]
        number = _number(versions[0].name) + 1 if versions else self._next(place)
        version = msgspec.structs.replace(version, name=_name(number, version.serial))
        content = sealing.sealed(self._key, str(place), encode(version), packed(text))
        keep_file(self._path(place), version.name, content)
        self._forget(place, (version, *versions))
        return version

    def _next(self, place: Place) -> int:
        """Behind everything that is there, were it unreadable: nothing is ever written over."""
        return max(map(_number, names(self._path(place), _SUFFIX)), default=0) + 1

    def _forget(self, place: Place, versions: tuple[Version, ...]) -> None:
        for each in outlived(versions, self._clock.now(), self._retention):
            try:
                (self._path(place) / each).unlink(missing_ok=True)
            except OSError as stays:
                log.warning("old copy not removed", place=str(place), copy=each, error=str(stays))

    def _versions(self, place: Place) -> Iterator[Version]:
        for name in sorted(names(self._path(place), _SUFFIX), key=_number, reverse=True):
            try:
                label = sealing.label_of(self._key, str(place), opening(self._path(place) / name))
                version = msgspec.json.decode(label, type=Version)
            except (Corrupted, NotFound, StorageFailed, msgspec.DecodeError) as broken:
                log.warning("copy does not open", place=str(place), copy=name, error=str(broken))
                continue
            yield msgspec.structs.replace(version, name=name)

    def _read(self, place: Place, version: Version) -> Plaintext:
        if version.name not in names(self._path(place), _SUFFIX):
            raise NotFound(f"There is no copy {version.name} of {place}")
        content = sealing.content_of(self._key, str(place), whole(self._path(place) / version.name))
        try:
            text = unpacked((content,))
        except (BadDocument, LimitExceeded) as broken:
            raise Corrupted(f"The copy {version.name} of {place} does not open", why=str(broken)) from broken
        if hashlib.sha256(text).hexdigest() != version.sha256:
            raise Corrupted(f"The copy {version.name} of {place} is another than the list says")
        return Plaintext(text)

    def _latest_good(self, place: Place) -> Version | None:
        for version in self._versions(place):
            try:
                parsed(self._read(place, version).reveal())
            except (Corrupted, BadDocument, TooNew, NotFound, StorageFailed) as broken:
                log.warning("copy is not good", place=str(place), copy=version.name, error=str(broken))
                continue
            return version
        return None

    def _path(self, place: Place) -> Path:
        return self._folder / place.namespace / place.workspace / place.suffix


def outlived(versions: Iterable[Version], now: datetime, retention: Retention) -> tuple[str, ...]:
    """Names of those that need not be kept: neither among the last ones, nor the last one of a recent day. Pure."""
    since = rfc3339(now - timedelta(days=retention.days))
    days: set[str] = set()
    gone = []
    for place, version in enumerate(versions):
        day = version.at[: len("2026-01-01")]
        if place >= retention.last and (version.at < since or day in days):
            gone.append(version.name)
        days.add(day)
    return tuple(gone)


def _name(number: int, serial: int) -> str:
    """No two are the same, were two replicas to write at once."""
    return f"{number:08d}-serial-{serial}-{secrets.token_hex(4)}{_SUFFIX}"


def _number(name: str) -> int:
    number = name.partition("-")[0]
    return int(number) if number.isascii() and number.isdigit() else 0
