"""Base64 as strictly as Go reads it; Python's reader takes padding where none belongs."""

import base64
import re
from typing import Final

_WHOLE: Final = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_FROM_URL: Final = bytes.maketrans(b"-_+/", b"+/!!")
"""Letters of the one alphabet that are none of the other become what is none of either."""


def read_base64(text: bytes, *, url: bool = False) -> bytes | None:
    """With padding, line breaks left out of account, and nothing else between. None for all else."""
    text = text.translate(_FROM_URL if url else None, b"\r\n")
    return base64.b64decode(text) if _WHOLE.fullmatch(text) else None
