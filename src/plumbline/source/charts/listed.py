"""One version of a chart, as an index lists it."""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

_SHA256: Final = re.compile(r"(?:sha256:)?([0-9A-Fa-f]{64})")
_URLS: Final = 4
_TEXT: Final = 4096


class Listed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    version: str
    digest: str = ""
    """Empty where the index does not say, or says something that is no SHA-256."""
    urls: tuple[str, ...] = ()

    @classmethod
    def of(cls, version: str, digest: str, urls: Sequence[str]) -> "Listed":
        match = _SHA256.fullmatch(digest)
        fitting = tuple(url for url in urls[:_URLS] if len(url) <= _TEXT)
        return cls(version[:_TEXT], f"sha256:{match[1].lower()}" if match else "", fitting)
