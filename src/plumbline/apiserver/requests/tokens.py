"""Continue tokens: where a list goes on, and as of when."""

import base64
import binascii
from typing import NamedTuple

import msgspec

from plumbline.apiserver import statuses
from plumbline.base.errors import RequestRefused
from plumbline.base.json import encode
from plumbline.kube.gotext import quoted

LATEST = -1
"""Instead of a revision: go on with what is there now, consistent or not."""


class Token(NamedTuple):
    revision: int
    after: str
    """The path of the last object that was given."""


class _Wire(msgspec.Struct):
    v: str = ""
    rv: int = 0
    start: str = ""


def written(token: Token) -> str:
    start = f"{token.after}\0"
    wire = {"v": "meta.k8s.io/v1", "rv": token.revision, "start": start}
    return base64.urlsafe_b64encode(encode(wire)).rstrip(b"=").decode()


def read(text: str) -> Token:
    try:
        plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        wire = msgspec.json.decode(plain, type=_Wire)
    except binascii.Error:
        raise _bad("continue key is not valid: illegal base64 data at input byte 0") from None
    except (ValueError, msgspec.MsgspecError):
        first = quoted(chr(plain[0])).strip('"') if plain else ""
        raise _bad(f"continue key is not valid: invalid character '{first}' looking for beginning of value") from None
    if wire.v != "meta.k8s.io/v1":
        raise _bad(f"continue key is not valid: server does not recognize this encoded version {wire.v}")
    if wire.rv == 0:
        raise _bad("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
    if not wire.start:
        raise _bad("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
    if "//" in wire.start or ".." in wire.start.split("/"):
        raise _bad(f"continue key is not valid: {wire.start}")
    return Token(wire.rv, wire.start.removesuffix("\0"))


def _bad(why: str) -> RequestRefused:
    return statuses.bad_request(f"invalid continue token: {why}")
