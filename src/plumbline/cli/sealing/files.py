"""Files read under a limit, and written whole or not at all."""

import os
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO, Final

from plumbline.base.errors import InvalidInput, LimitExceeded, StorageFailed
from plumbline.base.limits import MANIFESTS
from plumbline.base.plaintext import Plaintext

PUBLIC: Final = 0o644
PRIVATE: Final = 0o600
_STDIN: Final = "-"
_LARGEST_VALUE_BYTES: Final = 1 << 20
"""Kubernetes takes Secrets of up to 1 MiB."""


def at_terminal() -> bool:
    """Whether a person would have to type what is read from stdin."""
    return sys.stdin.isatty()


def text_from(path: Path | None) -> bytes:
    """A text that holds manifests, from a file or from stdin; the reader of documents refuses what is too large."""
    return _read(path, MANIFESTS.size_bytes + 1)


def value_from(path: Path | None) -> Plaintext:
    """A secret value as it is, from a file or from stdin. Raises LimitExceeded where no Secret could hold it."""
    value = _read(path, _LARGEST_VALUE_BYTES + 1)
    if len(value) > _LARGEST_VALUE_BYTES:
        raise LimitExceeded(
            f"{_name(path)} is too large", why="a Secret holds up to 1 MiB", hint="Split it, or keep it elsewhere."
        )
    return Plaintext(value)


def replaced(path: Path, content: bytes, *, mode: int = PUBLIC) -> None:
    """Make *content* the file's in one step. It keeps its mode where it is there already, and links stay links."""
    target = path.resolve()
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # such as /dev/stdout
            return
        kept = target.stat().st_mode & 0o7777 if target.exists() else mode
        descriptor, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fchmod(file.fileno(), kept)
                os.fsync(file.fileno())
            Path(draft).replace(target)
        finally:
            Path(draft).unlink(missing_ok=True)
    except OSError as failed:
        raise StorageFailed(f"{path} was not written", why=failed.strerror or str(failed)) from failed


def _read(path: Path | None, most_bytes: int) -> bytes:
    try:
        if path is None or str(path) == _STDIN:
            return _bounded(sys.stdin.buffer, most_bytes)
        with path.open("rb") as file:
            return _bounded(file, most_bytes)
    except OSError as failed:
        raise InvalidInput(f"{_name(path)} cannot be read", why=failed.strerror or str(failed)) from failed


def _bounded(stream: BinaryIO, most_bytes: int) -> bytes:
    return stream.read(most_bytes)


def _name(path: Path | None) -> str:
    return "stdin" if path is None or str(path) == _STDIN else str(path)
