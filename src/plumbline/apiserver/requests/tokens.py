"""Continue tokens: where a list goes on, and as of when."""

import base64
import posixpath
import re
from typing import Final, NamedTuple

import msgspec

from plumbline.apiserver import statuses
from plumbline.base.errors import RequestRefused
from plumbline.base.json import encode
from plumbline.kube.gotext import quoted

LATEST = -1
"""Instead of a revision: go on with what is there now, consistent or not."""
_VERSION: Final = "meta.k8s.io/v1"
_illegal: Final = re.compile("[^A-Za-z0-9_-]").search


class Token(NamedTuple):
    revision: int
    start: str
    """The first path, below what is listed, that may be in the next page."""


class _Wire(msgspec.Struct):
    v: str = ""
    rv: int = 0
    start: str = ""


def behind(path: str) -> str:
    """The first path that can follow *path*."""
    return f"{path}\0"


def written(token: Token) -> str:
    wire = {"v": _VERSION, "rv": token.revision, "start": f"/{token.start}"}
    return base64.urlsafe_b64encode(encode(wire)).rstrip(b"=").decode()


def read(text: str) -> Token:
    wire = _decoded(text)
    if wire.v != _VERSION:
        raise _bad(f"server does not recognize this encoded version {wire.v}")
    if wire.rv == 0:
        raise _bad(f"incorrect encoded start resourceVersion (version {_VERSION})")
    if not wire.start:
        raise _bad(f"encoded start key empty (version {_VERSION})")
    start = wire.start if wire.start.startswith("/") else f"/{wire.start}"
    if posixpath.normpath(start) != start or start.startswith("//"):
        raise _bad(wire.start)
    return Token(wire.rv, start[1:])


def _decoded(text: str) -> _Wire:
    illegal = _illegal(text)
    if illegal or len(text) % 4 == 1:
        at = illegal.start() if illegal else len(text) - 1
        raise _bad(f"illegal base64 data at input byte {at}")
    plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    try:
        return msgspec.json.decode(plain, type=_Wire)
    except (ValueError, msgspec.MsgspecError):
        if not plain:
            raise _bad("unexpected end of JSON input") from None
        first = quoted(chr(plain[0])).strip('"')
        raise _bad(f"invalid character '{first}' looking for beginning of value") from None


def _bad(why: str) -> RequestRefused:
    return statuses.bad_request(f"invalid continue token: continue key is not valid: {why}")
