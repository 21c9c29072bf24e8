"""Text that somebody gives in a file or on stdin: bounded, and nothing but text."""

import sys
from pathlib import Path
from typing import BinaryIO, Final

from plumbline.base.errors import InvalidInput, LimitExceeded

_MOST_BYTES: Final = 1_000_000
"""Little less than what Kubernetes keeps of one object."""


def text_of(path: str) -> str:
    """Of the file, or of stdin where none is named. Raises InvalidInput."""
    source = path or "stdin"
    try:
        if not path:
            content = _bounded(sys.stdin.buffer, source)
        else:
            with Path(path).open("rb") as file:
                content = _bounded(file, source)
    except (OSError, ValueError) as failed:
        why = getattr(failed, "strerror", None) or str(failed)
        raise InvalidInput(f"{source} cannot be read", why=why) from failed
    try:
        return content.decode()
    except UnicodeDecodeError:
        hint = "Give it in PEM or armored, such as by openssl x509 or gpg --armor."
        raise InvalidInput(f"{source} cannot be read", why="it is no text", hint=hint) from None


def _bounded(stream: BinaryIO, source: str) -> bytes:
    content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise LimitExceeded(f"{source} is not read", why=f"it has more than {_MOST_BYTES} bytes")
    return content
