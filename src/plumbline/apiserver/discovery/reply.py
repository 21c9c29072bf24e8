"""An answer as bytes and headers, before anybody writes it to a socket."""

import gzip
from typing import Final

JSON: Final = "application/json"
NOT_MODIFIED: Final = 304
NOT_ACCEPTABLE: Final = 406

Headers = tuple[tuple[str, str], ...]


class Content:
    """Bytes of a document, kept compressed once they are large: a plane holds many and is asked for few."""

    __slots__ = ("_plain", "gzipped")

    _WORTH_BYTES: Final = 16 * 1024

    def __init__(self, plain: bytes) -> None:
        large = len(plain) > self._WORTH_BYTES
        self.gzipped: bytes | None = gzip.compress(plain, 6, mtime=0) if large else None
        self._plain = b"" if large else plain

    @property
    def plain(self) -> bytes:
        return self._plain if self.gzipped is None else gzip.decompress(self.gzipped)


EMPTY: Final = Content(b"")


class DiscoveryReply:
    """`headers` are those beside Content-Type; an empty `content_type` means that there is none."""

    __slots__ = ("_content", "content_type", "headers", "status")

    def __init__(self, status: int, content: Content, *, content_type: str = JSON, headers: Headers = ()) -> None:
        self.status = status
        self.content_type = content_type
        self.headers = headers
        self._content = content

    def __repr__(self) -> str:
        return f"DiscoveryReply({self.status}, {self.content_type!r})"

    @property
    def body(self) -> bytes:
        return self._content.plain

    @property
    def gzipped(self) -> bytes | None:
        """The body in its gzip form, where it is kept in that form anyway."""
        return self._content.gzipped


def not_modified(headers: Headers) -> DiscoveryReply:
    return DiscoveryReply(NOT_MODIFIED, EMPTY, content_type="", headers=headers)
