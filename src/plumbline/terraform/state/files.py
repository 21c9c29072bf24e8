"""Files of copies: whole or not at all, on the disk before anybody is told, and for nobody else to read. Blocks."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from plumbline.base.errors import Corrupted, NotFound, StorageFailed
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.state.packing import MOST_BYTES
from plumbline.terraform.state.sealing import KEY_BYTES, OPENING_BYTES

_DRAFT: Final = "draft-"


def keep_file(folder: Path, name: str, content: bytes) -> None:
    try:
        _make(folder)
        _write(folder / name, content)
    except OSError as broken:
        raise StorageFailed(f"The copy {name} was not kept", why=str(broken)) from broken


def sweep(folder: Path) -> None:
    """Remove what writers that died have left."""
    for draft in folder.glob(f"*/*/*/{_DRAFT}*"):
        draft.unlink(missing_ok=True)


def names(folder: Path, suffix: str) -> frozenset[str]:
    try:
        return frozenset(each.name for each in os.scandir(folder) if each.name.endswith(suffix) and each.is_file())
    except FileNotFoundError:
        return frozenset()
    except OSError as broken:
        raise StorageFailed("The copies cannot be listed", why=str(broken)) from broken


def opening(path: Path) -> bytes:
    return _read(path, OPENING_BYTES)


def whole(path: Path) -> bytes:
    content = _read(path, MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise Corrupted(f"The copy {path.name} does not open", why="it is larger than any that was written")
    return content


def key_at(path: Path, *, makes: bool) -> Plaintext:
    """The key in *path*; a new one where there is none and *makes* allows it."""
    try:
        if not path.exists() and makes:
            _make(path.parent)
            _write(path, secrets.token_bytes(KEY_BYTES), first=True)
        key = path.read_bytes()
    except FileNotFoundError as missing:
        raise Corrupted(
            "The copies of states cannot be opened",
            why=f"there are copies, and their key {path.name} is not there",
            hint="Put the key back from where it is kept, or move the copies away to begin anew.",
        ) from missing
    except OSError as broken:
        raise StorageFailed("The key of the copies of states cannot be read", why=str(broken)) from broken
    if len(key) != KEY_BYTES:
        raise Corrupted("The copies of states cannot be opened", why=f"{path.name} is no key of {KEY_BYTES} bytes")
    return Plaintext(key)


def _make(folder: Path) -> None:
    """`mkdir` gives its mode to the last folder only."""
    for each in (*reversed(folder.parents), folder):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)


def _write(path: Path, content: bytes, *, first: bool = False) -> None:
    """With *first*, whatever is there already stays."""
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=_DRAFT)  # made with mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if first:
            with suppress(FileExistsError):
                path.hardlink_to(draft)
        else:
            Path(draft).replace(path)
    finally:
        Path(draft).unlink(missing_ok=True)
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """The name of a new file is on the disk once its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path, most_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most_bytes)
    except FileNotFoundError as missing:
        raise NotFound(f"There is no copy {path.name}") from missing
    except OSError as broken:
        raise StorageFailed(f"The copy {path.name} cannot be read", why=str(broken)) from broken
