"""What is refused before anybody looks at it: requests that a page in somebody's browser was tricked into."""

from collections.abc import Callable, Collection, Mapping
from typing import Final
from urllib.parse import urlsplit

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_USUAL_PORTS: Final = {"http": 80, "https": 443}
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})

HEADERS: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
"""Of every answer. A part that serves pages says otherwise for them."""


def host_name(header: str) -> str:
    """The name in a Host header, without port and brackets."""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def foreign(
    method: str, headers: Mapping[str, str], hosts: Collection[str] | None, trusts: Callable[[str], bool]
) -> str:
    """Why a request is not meant for us, empty if it is. With no *hosts* given every name will do.

    A name that somebody else controls may lead to loopback, and a browser then lets pages of that name in. Pages of an
    origin that *trusts* knows may ask for anything, with a token of their own.
    """
    host = host_name(headers.get("host", ""))
    if hosts is not None and host not in hosts:
        return "it is addressed to a host that this is not"
    if method in _SAFE:
        return ""
    origin = headers.get("origin", "")
    if origin and trusts(origin):
        return ""
    if origin and not _same(origin, headers.get("host", "")):
        return "it comes from a page of another origin"
    if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
        return "it comes from a page of another site"
    return ""


def _same(origin: str, host: str) -> bool:
    """Whether a page of *origin* is one of ours: of the same name, and of the same port.

    What listens on another port of this machine is somebody else. Whether there is TLS, only a proxy before us knows.
    """
    try:
        page, here = urlsplit(origin), urlsplit(f"//{host}")
        usual = _USUAL_PORTS.get(page.scheme)
        ports = page.port or usual, here.port or usual
    except ValueError:
        return False
    return bool(page.hostname) and host_name(page.netloc) == host_name(host) and ports[0] == ports[1]
