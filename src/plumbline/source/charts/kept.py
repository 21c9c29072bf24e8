"""Indexes on disk, from one start to the next: sealed, as they say which archives are the right ones."""

import hashlib
import hmac
import os
import secrets
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import StorageFailed
from plumbline.base.json import decode, encode
from plumbline.base.log import logger
from plumbline.base.plaintext import Plaintext
from plumbline.source.charts.index import INDEX_BYTES, Index

log = logger(__name__)

_KEY_BYTES: Final = 32
_SEAL_BYTES: Final = 32
_KEY_FILE: Final = "seal.key"
_DRAFT: Final = "draft-"


class Seen(NamedTuple):
    """An index, and what the server wants to hear to tell whether it is still the same."""

    offer: Index
    etag: str = ""
    modified: str = ""


class _Written(msgspec.Struct, array_like=True):
    url: str
    etag: str
    modified: str
    charts: dict[str, msgspec.Raw]


class Kept:
    """Without a *seal* of the installation it makes one of its own, which then lies beside what it seals. Blocks."""

    def __init__(self, folder: Path, seal: Plaintext | None = None) -> None:
        self._folder = folder
        self._seal = seal

    def settle(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for draft in self._folder.glob(f"{_DRAFT}*"):
                draft.unlink()
            if self._seal is None:
                self._seal = Plaintext(self._own_key())
        except OSError as broken:
            raise StorageFailed("Cannot keep indexes of charts", why=str(broken)) from broken

    def read(self, url: str) -> Seen | None:
        """What was last seen of *url*; None where nothing is, or it is not as it was written."""
        path = self._path(url)
        try:
            if path.stat().st_size > INDEX_BYTES:
                return None
            content = path.read_bytes()
        except OSError:
            return None
        sealed, body = content[:_SEAL_BYTES], content[_SEAL_BYTES:]
        try:
            written = decode(body, type=_Written) if hmac.compare_digest(sealed, self._sealed(body)) else None
        except msgspec.DecodeError:
            written = None
        if written is None or written.url != url:
            log.warning("stored index changed", file=path.name)
            path.unlink(missing_ok=True)
            return None
        return Seen(Index({name: bytes(raw) for name, raw in written.charts.items()}), written.etag, written.modified)

    def write(self, url: str, seen: Seen) -> None:
        """A disk that takes nothing is logged: the index can be fetched again."""
        raw = {name: msgspec.Raw(listed) for name, listed in seen.offer.charts.items()}
        body = encode(_Written(url, seen.etag, seen.modified, raw))
        try:
            _replace(self._path(url), self._sealed(body) + body)
        except OSError as full:
            log.warning("index not stored", error=str(full))

    def forget(self, url: str) -> None:
        self._path(url).unlink(missing_ok=True)

    def _path(self, url: str) -> Path:
        return self._folder / hashlib.sha256(url.encode()).hexdigest()

    def _sealed(self, body: bytes) -> bytes:
        key = self._seal.reveal() if self._seal else b""
        return hmac.digest(key, body, "sha256")

    def _own_key(self) -> bytes:
        path = self._folder / _KEY_FILE
        key = path.read_bytes() if path.is_file() else b""
        if len(key) != _KEY_BYTES:
            key = secrets.token_bytes(_KEY_BYTES)
            _replace(path, key)
        return key


def _replace(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=_DRAFT)  # made with mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
