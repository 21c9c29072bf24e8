"""The folder that sealed plans are kept in between pull request and merge, one file each."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, StorageFailed
from plumbline.terraform.changed.sealing import Header, header_of

_ENDING: Final = ".plan"
_UNSAVED: Final = ".unsaved-state"
_FILE_BYTES: Final = 512 << 20
_NAME: Final = re.compile(r"[0-9a-f]{12,64}")
_MOST: Final = 10_000


class Kept:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, header: Header, sealed: bytes) -> Path:
        return self._written(f"{_checked(header.digest)}{_ENDING}", sealed)

    def put_state(self, header: Header, sealed: bytes) -> Path:
        """A state that could not be saved where it belongs, beside the plan that led to it."""
        return self._written(f"{_checked(header.digest)}{_UNSAVED}", sealed)

    def _written(self, name: str, sealed: bytes) -> Path:
        path = self._folder / name
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(sealed)
        except OSError as error:
            raise StorageFailed(f"{path} was not written", why=error.strerror or str(error)) from error
        return path

    def find(self, digest: str) -> bytes:
        """The sealed plan whose digest is, or begins with, *digest*."""
        wanted = _checked(digest.removeprefix("sha256:"))
        found = [path for path in self._paths() if path.name.startswith(wanted)]
        if not found:
            raise NotFound(
                f"there is no plan {digest} in {self._folder}",
                hint="Check that the plans of the pull request were brought here, or plan again.",
            )
        if len(found) > 1:
            raise InvalidInput(f"{digest} stands for {len(found)} plans", hint="Write more of the digest.")
        return _content(found[0])

    def headers(self) -> Iterator[Header]:
        """Of all that are here, unproven."""
        for path in self._paths():
            yield header_of(_content(path))

    def _paths(self) -> list[Path]:
        try:
            paths = sorted(each for each in self._folder.iterdir() if each.suffix == _ENDING)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StorageFailed(f"{self._folder} cannot be read", why=error.strerror or str(error)) from error
        if len(paths) > _MOST:
            raise LimitExceeded(f"{self._folder} is not looked at", why=f"it has more than {_MOST:,} plans")
        return paths


def _checked(digest: str) -> str:
    if not _NAME.fullmatch(digest):
        raise InvalidInput(f"{digest!r} is no digest of a plan", why="it is 12 to 64 digits and letters a to f")
    return digest


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_FILE_BYTES + 1)
    except OSError as error:
        raise StorageFailed(f"{path} cannot be read", why=error.strerror or str(error)) from error
    if len(content) > _FILE_BYTES:
        raise LimitExceeded(f"{path} is not read", why=f"it has more than {_FILE_BYTES:,} bytes")
    return content
