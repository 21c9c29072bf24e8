"""As whom we come: the header for a server that takes one, and the token for one that wants another first."""

import base64
import re
from typing import Final, NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec

from plumbline.base.errors import GarbledReply, InvalidInput, Unauthenticated
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.source.charts.wire import Ask, Line, origin
from plumbline.source.repository import Credentials
from plumbline.source.urls import checked, redacted, without_credentials

_ANSWER_BYTES: Final = 1 << 20
_BEARER: Final = re.compile(r"(?i)\bbearer\s+(.*)")
_BASIC: Final = re.compile(r"(?i)\bbasic\b")
_PARAMETER: Final = re.compile(r'([A-Za-z_]+)="([^"]*)"')
_LIFE_S: Final = 60.0
"""Of a token that does not say how long it holds."""
_LONGEST_S: Final = 3600.0
_MARGIN_S: Final = 10.0
_PARENT_LABELS: Final = 2


class _Issued(msgspec.Struct):
    token: str = ""
    access_token: str = ""
    expires_in: float | None = None


class Pass(NamedTuple):
    """A header that a registry accepts, and for how long."""

    header: Plaintext
    life_s: float


def presented(credentials: Credentials, url: str) -> Plaintext | None:
    """The header to come with: a token, or user and password of the settings, or those that the address holds."""
    if credentials.bearer_token:
        return Plaintext(b"Bearer " + credentials.bearer_token.reveal())
    _, username, password = without_credentials(url)
    if credentials.username or credentials.password:
        username, password = credentials.username, credentials.password
    if not username and not password:
        if credentials.cloud:
            raise Unauthenticated(
                f"Cannot read {redacted(url)}",
                why=f"nobody here asks {credentials.cloud} for a token",
                hint="Give it a user and a password.",
            )
        return None
    pair = username.encode() + b":" + (password.reveal() if password else b"")
    return Plaintext(b"Basic " + base64.b64encode(pair))


async def challenged(line: Line, challenge: str, scope: str, url: str) -> Pass | None:
    """What a registry wants to see instead, None where it wants what we do not have."""
    ours = presented(line.repository.credentials, url)
    bearer = _BEARER.search(challenge)
    if bearer is None:
        usable = ours is not None and _BASIC.search(challenge) is not None
        return Pass(ours, _LONGEST_S) if usable and ours is not None else None
    if line.repository.credentials.bearer_token:
        return None
    parameters = dict(_PARAMETER.findall(bearer[1]))
    realm = _realm(line, parameters.get("realm", ""), known=ours is not None)
    # Never more than reading this one repository, whatever the challenge asks for.
    query = urlencode({"service": parameters.get("service", "")} | ({"scope": scope} if scope else {}))
    parts = urlsplit(realm)
    address = urlunsplit((parts.scheme, parts.netloc, parts.path, f"{parts.query}{parts.query and '&'}{query}", ""))
    reply = await line.ask(Ask(address, _ANSWER_BYTES, authorization=ours))
    return _issued(line, reply.body)


def _issued(line: Line, body: bytes) -> Pass:
    try:
        issued = decode(body, type=_Issued)
    except msgspec.DecodeError:
        # The cause would quote what it could not read, which may be the token.
        raise GarbledReply(line.what, why="the token that it gave cannot be read", hint=_LOOK) from None
    token = issued.token or issued.access_token
    if not token or not token.isascii() or not token.isprintable():
        raise GarbledReply(line.what, why="it gave no token", hint=_LOOK)
    life_s = min(issued.expires_in or _LIFE_S, _LONGEST_S)
    return Pass(Plaintext(f"Bearer {token}"), max(life_s - _MARGIN_S, life_s / 2))


_LOOK: Final = "Look at the registry, and at what issues tokens for it."


def _realm(line: Line, realm: str, *, known: bool) -> str:
    """The address that issues tokens, where it may be asked as whom we come."""
    try:
        towards = origin(checked(realm))
    except (InvalidInput, ValueError):
        raise GarbledReply(line.what, why="it says nowhere where tokens are issued", hint=_LOOK) from None
    if towards.scheme != "https" and line.own.scheme == "https":
        raise InvalidInput(line.what, why=f"it wants us to ask {towards.host} for a token without TLS")
    trusted = not known or line.repository.credentials.pass_to_others or related(line.own.host, towards.host)
    if not trusted:
        raise InvalidInput(
            line.what,
            why=f"it wants us to show our credentials to {towards.host}",
            hint="Where that is right, let the repository pass its credentials to other hosts.",
        )
    return realm


def related(registry: str, other: str) -> bool:
    """Whether two hosts are one, or of one domain: `registry.example.org` has its tokens from `git.example.org`."""
    if other == registry or other.endswith(f".{registry}"):
        return True
    parent = registry.partition(".")[2]
    in_it = other == parent or other.endswith(f".{parent}")
    return in_it and len(parent.split(".")) >= _PARENT_LABELS and not parent.replace(".", "").isdecimal()
