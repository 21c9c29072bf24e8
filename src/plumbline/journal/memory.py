"""What a process remembers of the chain beside the database, so that a database that forgets is caught at it."""

import contextlib
import os
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.json import encode
from plumbline.journal.chain import Head

NOTHING: Final = Head()
_LINE_BYTES: Final = 160


class Memory:
    """The newest entry that this process saw acknowledged.

    It is compared with what the database holds on every write: a restored backup, a truncated write-ahead log or a
    replica that was promoted too early shows as a `rewound` entry instead of as nothing at all.
    """

    def __init__(self, seen: Head = NOTHING) -> None:
        self.seen = seen
        self.certain = not seen.seq
        """False until the entry last seen has been looked for: after opening, and after a lost connection."""

    def note(self, head: Head) -> None:
        self.seen = head
        self.certain = True

    def doubt(self) -> None:
        self.certain = not self.seen.seq

    def close(self) -> None: ...


class FileMemory(Memory):
    """The same in a small file beside the database.

    Written after each commit and before it is acknowledged, without waiting for the disk: it may lag behind after a
    power cut, but it never runs ahead of the database, and what it says was true.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        super().__init__(_read(os.pread(self._file, _LINE_BYTES, 0)))

    def note(self, head: Head) -> None:
        super().note(head)
        # A full disk is told by the database, which needs it more.
        with contextlib.suppress(OSError):
            os.pwrite(self._file, encode(head).ljust(_LINE_BYTES - 1) + b"\n", 0)

    def close(self) -> None:
        os.close(self._file)


def _read(line: bytes) -> Head:
    try:
        return msgspec.json.decode(line, type=Head)
    except msgspec.MsgspecError:
        return NOTHING
