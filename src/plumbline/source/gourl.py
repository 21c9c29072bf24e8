"""How Go's net/url reads an address and writes it back: what upstream's normal form of addresses is made with.

Only that round trip is here. Addresses that we use are taken apart by `source.urls`, which is stricter.
"""

import re
from ipaddress import AddressValueError, IPv6Address
from typing import Final
from urllib.parse import quote, unquote_to_bytes

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9a-f]{2})")
_USUAL: Final = re.compile(r"[a-z][a-z0-9+.-]*://(?:[a-z0-9._~-]+@)?[a-z0-9._~-]+(?::[0-9]*)?(?:/[a-z0-9._~/:@+-]*)?")
_USERINFO: Final = re.compile(r"[a-z0-9._:~!$&'()*+,;=%@-]*")
_HOST: Final = re.compile(r"(?:[a-z0-9!$&'()*+,;=:\[\]<>\"._~-]|[^\x00-\x7f]|%25|%[89a-f][0-9a-f])*")
_PATH: Final = re.compile(r"[a-z0-9._~/$&+,:;=@!'()*\[\]%-]*")
_FRAGMENT: Final = re.compile(r"[a-z0-9._~/$&+,:;=@!'()*\[\]%?-]*")
_PORT: Final = re.compile(r"(?::[0-9]*)?")
_ZONE: Final = re.compile(r"(?:%25[a-z0-9._~-]+)?")

_PATH_SAFE: Final = "$&+,/:;=@"
_USER_SAFE: Final = "$&+,;="
_FRAGMENT_SAFE: Final = "$&+,/:;=?@!()*"
_HOST_SAFE: Final = "!$&'()*+,;=:[]<>\""


def lowered(text: str) -> str:
    """Without space around it and in lower case; the few letters that have several lower forms get one."""
    return text.strip().replace("\u0130", "i").lower()


def rewritten(text: str) -> str | None:
    """A text in lower case as Go writes it after having read it; None where it is not read."""
    if _USUAL.fullmatch(text):
        return text
    body, _, fragment = text.partition("#")
    shown_fragment = _escaped(fragment, _FRAGMENT, _FRAGMENT_SAFE)
    if _CONTROL.search(body) or body.startswith(":") or shown_fragment is None:
        return None
    match = _SCHEME.match(body)
    scheme = match[0] if match else ""
    path, mark, query = body[len(scheme) :].partition("?")
    hierarchical = _hierarchical(path, scheme)
    if hierarchical is None:
        return None
    return f"{scheme}{hierarchical}{mark}{query}{shown_fragment and '#'}{shown_fragment}"


def _hierarchical(path: str, scheme: str) -> str | None:
    if not path.startswith("/"):
        if scheme and path:
            return path
        return None if ":" in path.partition("/")[0] else _escaped_path(path)
    if not path.startswith("//") or (not scheme and path.startswith("///")):
        return _escaped_path(path)
    authority, slash, rest = path[2:].partition("/")
    place = _authority(authority, scheme)
    shown = _escaped_path(slash + rest)
    if place is None or shown is None:
        return None
    return f"//{place}{shown}" if place or (scheme and shown) else shown


def _authority(text: str, scheme: str) -> str | None:
    userinfo, at, host = text.rpartition("@")
    shown_host = _host(host, scheme)
    if shown_host is None or not _USERINFO.fullmatch(userinfo) or _BAD_ESCAPE.search(userinfo):
        return None
    name, colon, password = userinfo.partition(":")
    return f"{_quoted(name, _USER_SAFE)}{colon}{_quoted(password, _USER_SAFE)}{at}{shown_host}"


def _host(text: str, scheme: str) -> str | None:
    if "[" in text:
        return _literal(text)
    host, colon, port = text.rpartition(":")
    if not _HOST.fullmatch(text) or (colon and not _PORT.fullmatch(colon + port)):
        return None
    if ":" in host and scheme in {"http:", "https:"}:
        return None
    return _quoted(text, _HOST_SAFE)


def _literal(text: str) -> str | None:
    """An IPv6 address in brackets."""
    inner, _, port = text[1:].rpartition("]")
    address, percent, zone = inner.partition("%")
    try:
        IPv6Address(address)
    except AddressValueError:
        return None
    fits = text.startswith("[") and _PORT.fullmatch(port) and _ZONE.fullmatch(percent + zone)
    return text if fits else None


def _escaped_path(path: str) -> str | None:
    return _escaped(path, _PATH, _PATH_SAFE)


def _escaped(text: str, allowed: re.Pattern[str], safe: str) -> str | None:
    """As it stands where each character may stand there, else decoded and encoded anew; None for a broken escape."""
    if _BAD_ESCAPE.search(text):
        return None
    return text if allowed.fullmatch(text) else _quoted(text, safe)


def _quoted(text: str, safe: str) -> str:
    return quote(unquote_to_bytes(text.encode("utf-8", "replace")), safe=safe)
