"""What is in a tar archive, entry by entry, within bounds that hold while it is read.

Headers are decoded by the standard library, one block at a time. What follows from them is done here: the library's own
loop nests once for each extended header, expands sparse files, and searches their text in quadratic time.
"""

import tarfile
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from plumbline.base.errors import InvalidInput, LimitExceeded, PlumblineError
from plumbline.base.limits import KIB, MIB

PACKED_BYTES: Final = 100 * MIB
UNPACKED_BYTES: Final = 256 * MIB
ENTRIES: Final = 20_000
"""Folders and extended headers counted."""
RATIO: Final = 200
"""Text compresses to a tenth; zeros to a thousandth."""

_RATIO_FROM_BYTES: Final = 16 * MIB
_BLOCK: Final = tarfile.BLOCKSIZE
_PIECE_BYTES: Final = 64 * KIB
_EXTENDED_BYTES: Final = 64 * KIB
_GZIP: Final = b"\x1f\x8b"
_LENGTH_DIGITS: Final = 8


class Source(Protocol):
    """Bytes, a few at a time; fewer than asked for only at the end."""

    def take(self, size: int) -> bytes: ...


class Member(NamedTuple):
    name: str
    kind: bytes
    """The type flag: `tarfile.REGTYPE` for every kind of ordinary file."""
    content: bytes = b""
    target: str = ""
    """Of a link."""
    executable: bool = False


class Plain:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, size: int) -> bytes:
        piece = self._content[self._at : self._at + size]
        self._at += len(piece)
        _bound(self._at)
        return piece


class Inflated:
    """A gzip stream, or several in a row, inflated no further than asked for."""

    def __init__(self, content: bytes) -> None:
        self._content = memoryview(content)
        self._fed = 0
        self._given = 0
        self._engine = zlib.decompressobj(wbits=31)
        self._waiting = b""

    def take(self, size: int) -> bytes:
        pieces: list[bytes] = []
        left = size
        while left:
            piece = self._some(min(left, MIB))
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def _some(self, most: int) -> bytes:
        while True:
            if self._engine.eof and not self._next_stream():
                return b""
            fed = self._waiting or bytes(self._content[self._fed : self._fed + _PIECE_BYTES])
            if not self._waiting:
                self._fed += len(fed)
            try:
                out = self._engine.decompress(fed, most)
            except zlib.error as broken:
                raise unusable("its compression is damaged") from broken
            self._waiting = self._engine.unconsumed_tail
            if out:
                return self._counted(out)
            if not fed and not self._engine.eof:
                raise unusable("it ends in the middle")

    def _next_stream(self) -> bool:
        rest = self._engine.unused_data
        start = self._fed - len(rest)
        if bytes(self._content[start : start + len(_GZIP)]) != _GZIP:
            return False
        self._fed, self._waiting, self._engine = start, b"", zlib.decompressobj(wbits=31)
        return True

    def _counted(self, out: bytes) -> bytes:
        self._given += len(out)
        _bound(self._given)
        if self._given > _RATIO_FROM_BYTES and self._given > RATIO * self._fed:
            raise too_large(f"it unpacks to more than {RATIO} times its size")
        return out


def members(source: Source) -> Iterator[Member]:
    """Folders, files and links in their order. Refuses everything else: none of it is in a chart."""
    extended: dict[str, str] = {}
    for _ in range(ENTRIES):
        header = _header(source)
        if header is None:
            return
        if header.type in {tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XGLTYPE}:
            extended |= _extension(header, source)
            continue
        yield _member(header, extended, source)
        extended = {}
    raise too_large(f"it has more than {ENTRIES:,} entries")


def unusable(why: str) -> InvalidInput:
    return InvalidInput(
        "Cannot unpack the archive", why=why, hint="Package it again, with `helm package` or `tar -cz`."
    )


def too_large(why: str) -> LimitExceeded:
    return LimitExceeded("Cannot unpack the archive", why=why)


def _bound(given: int) -> None:
    if given > UNPACKED_BYTES:
        raise too_large(f"it unpacks to more than {UNPACKED_BYTES:,} bytes")


def _header(source: Source) -> tarfile.TarInfo | None:
    block = source.take(_BLOCK)
    if not block or block.count(0) == _BLOCK:
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError, OverflowError) as broken:
        raise unusable("a header in it cannot be read") from broken


def _content(source: Source, size: int, most: int) -> bytes:
    if not 0 <= size <= most:
        raise too_large(f"an entry claims to have {size:,} bytes")
    padded = -(-size // _BLOCK) * _BLOCK
    content = source.take(padded)
    if len(content) < size:
        raise unusable("it ends in the middle")
    return content[:size] if padded != size else content


def _extension(header: tarfile.TarInfo, source: Source) -> dict[str, str]:
    """What the header says about the entry after it."""
    content = _content(source, header.size, _EXTENDED_BYTES)
    if header.type == tarfile.XHDTYPE:
        return dict(_records(content))
    if header.type == tarfile.XGLTYPE:
        return {}
    key = "path" if header.type == tarfile.GNUTYPE_LONGNAME else "linkpath"
    return {key: _text(content.partition(b"\0")[0])}


def _records(content: bytes) -> Iterator[tuple[str, str]]:
    """`LENGTH KEY=VALUE` and a line end, where the length counts all of that."""
    at = 0
    while at < len(content):
        digits = content[at : at + _LENGTH_DIGITS].partition(b" ")[0]
        end = at + int(digits) if digits.isdigit() else 0
        key, separator, value = content[at + len(digits) + 1 : end - 1].partition(b"=")
        if not separator or not at < end <= len(content) or content[end - 1 : end] != b"\n":
            raise unusable("an extended header in it cannot be read")
        if key.startswith(b"GNU.sparse"):
            raise _forbidden("a sparse file")
        yield _text(key), _text(value)
        at = end


def _member(header: tarfile.TarInfo, extended: dict[str, str], source: Source) -> Member:
    name = extended.get("path", header.name)
    if header.isdir():
        return Member(name, tarfile.DIRTYPE)
    if header.issym():
        return Member(name, tarfile.SYMTYPE, target=extended.get("linkpath", header.linkname))
    if header.type not in {tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE}:
        raise _forbidden(_CALLED.get(header.type, "something that is neither file, folder nor link"), name)
    size = extended.get("size", "")
    content = _content(source, int(size) if size.isdecimal() else header.size, UNPACKED_BYTES)
    return Member(name, tarfile.REGTYPE, content, executable=bool(header.mode & 0o100))


_CALLED: Final = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}


def _forbidden(thing: str, name: str = "") -> PlumblineError:
    return unusable(f"it holds {thing}{name and ', '}{name!r:.200}" if name else f"it holds {thing}")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
