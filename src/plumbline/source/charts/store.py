"""Contents on disk, each under its own hash: what does not hash to its name any more is not there."""

import hashlib
import os
import stat
import tempfile
import threading
from pathlib import Path
from typing import Final

from plumbline.base.errors import StorageFailed
from plumbline.base.limits import MIB
from plumbline.base.log import logger
from plumbline.source.charts.digests import digest_of, is_digest

log = logger(__name__)

CAPACITY_BYTES: Final = 1024 * MIB
_DRAFT: Final = "draft-"


def kept_at(place: str, digest: str) -> str:
    """The name under which what came from *place* is kept. A digest is no secret, and opens nothing of another place."""
    return f"{digest}.{hashlib.sha256(place.encode()).hexdigest()[:16]}"


def _bare(name: str) -> str:
    return name.partition(".")[0]


class Store:
    """At most *capacity_bytes*; those that were used longest ago go first. Blocks; may be used from several threads."""

    def __init__(self, folder: Path, capacity_bytes: int = CAPACITY_BYTES) -> None:
        self._folder = folder
        self._capacity_bytes = capacity_bytes
        self._sizes: dict[str, int] = {}
        """The one used longest ago first."""
        self._lock = threading.Lock()

    @property
    def size_bytes(self) -> int:
        return sum(self._sizes.values())

    def settle(self) -> None:
        """Look at what is there already, and remove what a killed process left half written."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            found = []
            for path in self._folder.iterdir():
                digest = path.name.replace("-", ":", 1)
                status = path.lstat()
                if is_digest(_bare(digest)) and stat.S_ISREG(status.st_mode):
                    found.append((status.st_mtime_ns, digest, status.st_size))
                elif path.name.startswith(_DRAFT):
                    path.unlink()
        except OSError as broken:
            raise StorageFailed("Cannot keep charts", why=str(broken)) from broken
        with self._lock:
            self._sizes = {digest: size for _, digest, size in sorted(found)}
            self._make_room()

    def read(self, digest: str) -> bytes | None:
        """The content with that hash, alone or as `kept_at` has it, checked again; None where it is not there."""
        if digest not in self._sizes:
            return None
        path = self._path(digest)
        try:
            content = path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else b""
            os.utime(path)
        except OSError:
            self._drop(digest)
            return None
        if digest_of(content, digest) != _bare(digest):
            log.warning("stored chart changed", digest=digest)
            self._drop(digest)
            return None
        with self._lock:
            self._sizes[digest] = self._sizes.pop(digest, len(content))
        return content

    def write(self, digest: str, content: bytes) -> None:
        """Keep *content*, which has that hash. A disk that takes nothing is logged: it can be fetched again."""
        draft: Path | None = None
        try:
            descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=_DRAFT)
            draft = Path(name)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            draft.replace(self._path(digest))
        except OSError as full:
            log.warning("chart not stored", digest=digest, error=str(full))
            if draft is not None:
                draft.unlink(missing_ok=True)
            return
        with self._lock:
            self._sizes.pop(digest, None)
            self._sizes[digest] = len(content)
            self._make_room()

    def _make_room(self) -> None:
        while self.size_bytes > self._capacity_bytes and len(self._sizes) > 1:
            digest = next(iter(self._sizes))
            del self._sizes[digest]
            self._path(digest).unlink(missing_ok=True)

    def _drop(self, digest: str) -> None:
        with self._lock:
            self._sizes.pop(digest, None)
        self._path(digest).unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        return self._folder / digest.replace(":", "-", 1)
