"""Where providers listen: the kernel takes paths of sockets up to 107 bytes, whatever a folder may be called."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FOLDER_VARIABLE: Final = "PLUGIN_UNIX_SOCKET_DIR"
"""What providers look at before TMPDIR."""
_LONGEST: Final = 107
_NAME: Final = len("/plugin4294967295")


@contextlib.contextmanager
def sockets(usual: Path) -> Iterator[Path]:
    """*usual*, or where its path is too long, a folder of our own that ends with the block."""
    if len(os.fsencode(usual)) + _NAME <= _LONGEST:
        yield usual
        return
    with tempfile.TemporaryDirectory(prefix="plumb-") as short:
        yield Path(short)
