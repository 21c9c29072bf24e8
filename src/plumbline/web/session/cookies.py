"""Cookies as Argo CD sets them, so that its pages and proxies find what they look for: long values in several pieces."""

import math
from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import LimitExceeded
from plumbline.web.requests import Request

SESSION: Final = "argocd.token"
GROUPS: Final = "plumbline.groups"
STATE: Final = "argocd.oauthstate"

_PIECE_CHARS: Final = 4093
"""What browsers take of one cookie: name, value and attributes together."""
_MOST_PIECES: Final = 20
Header = tuple[str, str]


def sent(request: Request) -> Mapping[str, str]:
    """The cookies of a request; of two with one name, the first, which is the one with the longer path."""
    found: dict[str, str] = {}
    for part in request.header("cookie").split(";"):
        name, equals, value = part.strip().partition("=")
        if equals:
            found.setdefault(name, value.strip('"'))
    return found


def joined(name: str, cookies: Mapping[str, str]) -> str:
    """A value that may have come in pieces: the first says how many there are. Empty where it is not there."""
    count, colon, first = cookies.get(name, "").partition(":")
    if not colon:
        return count
    if not count.isdigit() or not 1 <= int(count) <= _MOST_PIECES:
        return ""
    return first + "".join(cookies.get(f"{name}-{number}", "") for number in range(1, int(count)))


def kept(name: str, value: str, *, secure: bool, same_site: str = "Strict", life_s: int | None = None) -> list[Header]:
    """Headers that make a browser keep *value*, out of reach of scripts. Raises LimitExceeded."""
    attributes = _attributes(secure=secure, same_site=same_site, life_s=life_s)
    room = _PIECE_CHARS - len(name) - 4 - len(attributes) - 2
    count = math.ceil(len(value) / room)
    if count > _MOST_PIECES:
        raise LimitExceeded(
            "The token does not fit into cookies",
            why=f"it has {len(value):,} characters, and browsers keep {_MOST_PIECES} pieces",
            hint="Let the identity provider put fewer groups into it, or ask userinfo for them.",
        )
    pieces = [value[start : start + room] for start in range(0, len(value), room)] or [""]
    named = [name, *(f"{name}-{number}" for number in range(1, count))]
    if count > 1:
        pieces[0] = f"{count}:{pieces[0]}"
    return [("Set-Cookie", f"{each}={piece}; {attributes}") for each, piece in zip(named, pieces, strict=True)]


def dropped(name: str, cookies: Mapping[str, str], *, secure: bool, same_site: str = "Strict") -> list[Header]:
    """Headers that make a browser forget a cookie and its pieces."""
    attributes = _attributes(secure=secure, same_site=same_site, life_s=0)
    names = [name, *sorted(each for each in cookies if each.startswith(f"{name}-"))]
    return [("Set-Cookie", f"{each}=; {attributes}") for each in names[: _MOST_PIECES + 1]]


def _attributes(*, secure: bool, same_site: str, life_s: int | None) -> str:
    flags = ["Path=/", f"SameSite={same_site}", "HttpOnly"]
    if life_s is not None:
        flags.append(f"Max-Age={life_s}")
    return "; ".join([*flags, "Secure"] if secure else flags)
