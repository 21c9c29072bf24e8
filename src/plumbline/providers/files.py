"""Files of the machine that this runs on, which a ProviderConfig may name: never one that is of a namespace."""

import asyncio
import os
from pathlib import Path
from stat import S_ISREG
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.managed.external import Config

_MOST_BYTES: Final = 1 << 18


def check_machines(config: Config, what: str) -> None:
    """Raise InvalidInput where *config* is of a namespace: whoever writes there has nothing to do with this machine."""
    if config.ref.namespace:
        why = f"{what} is of the machine that this runs on, and not of namespace {config.ref.namespace}"
        raise InvalidInput(f"{config.ref} cannot be used", why=why, hint="Use a Secret, or a ClusterProviderConfig.")


async def read_file(path: Path) -> bytes:
    """All of it. Raises OSError, also for what is no ordinary file or is too large: some never end, and some never begin."""
    return await asyncio.to_thread(_read, path)


def _read(path: Path) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(0, "it is no ordinary file")
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise OSError(0, f"it is larger than {_MOST_BYTES} bytes")
    return content
