"""Trees as archives. The same files always give the same bytes."""

import hashlib
import io
import tarfile
import zlib
from typing import IO, Final, NamedTuple

from plumbline.base.errors import LimitExceeded
from plumbline.base.tree import Entry, Tree, walk

TOTAL_BYTES: Final = 1 << 30
_LEVEL: Final = 6
_GZIP: Final = 31


class Packed(NamedTuple):
    digest: str
    """sha256:… of the packed bytes."""
    size_bytes: int


class _Sink(io.RawIOBase):
    """Compresses what is written, counts and hashes what comes of it, and passes that on."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._engine = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._hash = hashlib.sha256()
        self._size_bytes = 0

    def write(self, content: bytes, /) -> int:  # type: ignore[override]  # a tar archive is written as bytes
        self._pass_on(self._engine.compress(content))
        return len(content)

    def finish(self) -> Packed:
        self._pass_on(self._engine.flush())
        return Packed(f"sha256:{self._hash.hexdigest()}", self._size_bytes)

    def _pass_on(self, packed: bytes) -> None:
        if packed:
            self._hash.update(packed)
            self._size_bytes += len(packed)
            self._file.write(packed)


def packed(tree: Tree, file: IO[bytes]) -> Packed:
    """Write all files of *tree* as a compressed tar archive, without times and owners. Blocks; one file is in memory at a time."""
    sink, left = _Sink(file), TOTAL_BYTES
    with tarfile.open(
        fileobj=sink, mode="w|", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape"
    ) as archive:
        for path, entry in walk(tree):
            if entry.kind == "file":
                left -= tree.size(path)
                if left < 0:
                    raise LimitExceeded("Cannot pack the source", why=f"it has more than {TOTAL_BYTES:,} bytes")
            _add(archive, tree, path, entry)
    return sink.finish()


def _add(archive: tarfile.TarFile, tree: Tree, path: str, entry: Entry) -> None:
    header = tarfile.TarInfo(path)
    if entry.kind == "file":
        content = tree.read(path)
        header.size, header.mode = len(content), 0o755 if entry.executable else 0o644
        archive.addfile(header, io.BytesIO(content))
    elif entry.kind == "link":
        header.type, header.mode = tarfile.SYMTYPE, 0o777
        header.linkname = tree.read(path).decode("utf-8", "surrogateescape")
        archive.addfile(header)
