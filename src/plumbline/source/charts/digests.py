"""Content named by its hash, as registries write it."""

import hashlib
import re
from collections.abc import Callable
from typing import Any, Final

_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
_ENGINES: Final[dict[str, Callable[[bytes], Any]]] = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}


def is_digest(text: str) -> bool:
    """Whether it names content by a hash that is strong and known here."""
    return _DIGEST.fullmatch(text) is not None


def digest_of(content: bytes, like: str = "sha256:") -> str:
    """The digest of *content*, made with the hash that *like* is made with."""
    algorithm = like.partition(":")[0]
    return f"{algorithm}:{_ENGINES[algorithm](content).hexdigest()}"
