"""Files at hand, packed to be sent to a server that renders them."""

import io
import stat
import tarfile
from typing import Final

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.limits import MIB, UPLOADED_BYTES
from plumbline.cli.applications.folders import DiskTree

_ENTRIES: Final = 15_000
"""Less than a server takes, which counts long names twice."""
_UNPACKED_BYTES: Final = 240 * MIB
_EXECUTABLE: Final = 0o755
_PLAIN: Final = 0o644


def packed(tree: DiskTree) -> bytes:
    """A tar archive of all of *tree*, compressed; without owners and times, which nobody asks for."""
    made, size = io.BytesIO(), 0
    with tarfile.open(fileobj=made, mode="w:gz", compresslevel=6) as archive:
        for count, (path, found) in enumerate(tree.listed(), 1):
            size += found.st_size
            if count > _ENTRIES or size > _UNPACKED_BYTES or made.tell() > UPLOADED_BYTES:
                raise _too_much()
            try:
                content = tree.read(path)
            except OSError as gone:
                raise InvalidInput(f"{path} cannot be read", why=str(gone.strerror)) from gone
            header = tarfile.TarInfo(path)
            if stat.S_ISLNK(found.st_mode):
                header.type, header.linkname = tarfile.SYMTYPE, content.decode("utf-8", "surrogateescape")
                archive.addfile(header)
                continue
            header.size = len(content)
            header.mode = _EXECUTABLE if found.st_mode & stat.S_IXUSR else _PLAIN
            archive.addfile(header, io.BytesIO(content))
    if made.tell() > UPLOADED_BYTES:
        raise _too_much()
    return made.getvalue()


def _too_much() -> LimitExceeded:
    return LimitExceeded(
        "files at hand are not sent to the server",
        why=f"there are more than {_ENTRIES:,}, or more than {UPLOADED_BYTES // MIB} MiB once they are packed",
        hint="Name a smaller folder with --local-repo-root: the one with the manifests and what they refer to.",
    )
