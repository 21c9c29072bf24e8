"""Documents that are built when somebody asks for them."""

import hashlib
from collections.abc import Callable

from plumbline.apiserver.discovery.reply import Content


class Page:
    """One document: its digest is known after the first look at it, its bytes are kept once they were asked for.

    `source` is what it is built from; pages of equal sources are interchangeable.
    """

    __slots__ = ("_build", "_content", "_digest", "source")

    def __init__(self, source: object, build: Callable[[], bytes]) -> None:
        self.source = source
        self._build = build
        self._content: Content | None = None
        self._digest = ""

    @property
    def digest(self) -> str:
        """SHA-512 of the document, in capitals. The document itself is not kept: an index needs the digests of all."""
        if not self._digest:
            self._digest = _digest(self._build())
        return self._digest

    @property
    def etag(self) -> str:
        return f'"{self.digest}"'

    @property
    def content(self) -> Content:
        if self._content is None:
            encoded = self._build()
            self._digest = _digest(encoded)
            self._content = Content(encoded)
        return self._content


def _digest(encoded: bytes) -> str:
    return hashlib.sha512(encoded).hexdigest().upper()
