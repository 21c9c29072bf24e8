"""Addresses as Go's net/url reads them: what it refuses, and the parts it finds."""

import re
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from plumbline.base.errors import InvalidInput
from plumbline.kube.gotext import quoted

_scheme: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*").fullmatch
_escape: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_port: Final = re.compile(r"(:[0-9]*)?").fullmatch
_control: Final = re.compile(r"[\x00-\x1f\x7f]").search
_bad_host_char: Final = re.compile(r"[ \"<>\\^`{|}]").search
_bad_userinfo: Final = re.compile(r"[^A-Za-z0-9\-._:~!$&'()*+,;=%@]").search
_SAFE_PATH: Final = "$&+,/:;=@-._~"
_improper: Final = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@\[\]%/]").search


class Url(NamedTuple):
    scheme: str
    host: str
    """With its port."""
    path: str
    """As it was written."""
    query: str
    fragment: str
    opaque: str
    userinfo: str
    text: str

    @property
    def hostname(self) -> str:
        if self.host.startswith("["):
            return self.host[1:].partition("]")[0]
        return self.host.partition(":")[0]

    @property
    def port(self) -> str:
        return self.host.rpartition("]")[2].rpartition(":")[2] if ":" in self.host.rpartition("]")[2] else ""

    @property
    def escaped_path(self) -> str:
        """As it was written, if it was written properly."""
        return quote(unquote(self.path), safe=_SAFE_PATH) if _improper(self.path) else self.path

    def parameters(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for part in self.query.split("&"):
            if not part or ";" in part:
                continue
            key, _, value = part.partition("=")
            found.setdefault(_plain(key), []).append(_plain(value))
        return found


def _plain(text: str) -> str:
    return unquote(text.replace("+", " "))


def parse_request_uri(text: str) -> Url:
    """An absolute address or an absolute path; raises with Go's words."""
    return _parse(text, via_request=True)


def parse_url(text: str) -> Url:
    """Any reference; what follows a `#` is its fragment."""
    before, _, fragment = text.partition("#")
    return _parse(before, via_request=False)._replace(fragment=unquote(fragment), text=text)


def _refused(text: str, why: str) -> InvalidInput:
    return InvalidInput(f"parse {quoted(text)}: {why}")


def _parse(text: str, *, via_request: bool) -> Url:
    if _control(text):
        raise _refused(text, "net/url: invalid control character in URL")
    if not text and via_request:
        raise _refused(text, "empty url")
    scheme, rest = _split_scheme(text)
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return Url(scheme, "", "", query, "", rest, "", text)
        if via_request:
            raise _refused(text, "invalid URI for request")
        segment = rest.partition("/")[0]
        if ":" in segment:
            raise _refused(text, "first path segment in URL cannot contain colon")
    userinfo = host = ""
    if (scheme or not via_request) and rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        userinfo, host = _authority(authority, text)
        rest = slash + path
    _check_escapes(rest, text)
    return Url(scheme, host, rest, query, "", "", userinfo, text)


def _split_scheme(text: str) -> tuple[str, str]:
    head, colon, rest = text.partition(":")
    if not colon or not head[:1].isalpha() or not head.isascii():
        if text.startswith(":"):
            raise _refused(text, "missing protocol scheme")
        return "", text
    if not _scheme(head):
        return "", text
    return head.lower(), rest


def _authority(text: str, whole: str) -> tuple[str, str]:
    userinfo, at, host = text.rpartition("@")
    if at and _bad_userinfo(userinfo):
        raise _refused(whole, "net/url: invalid userinfo")
    if host.startswith("["):
        inside, bracket, port = host.rpartition("]")
        if not bracket:
            raise _refused(whole, "missing ']' in host")
        if not _port(port):
            raise _refused(whole, f"invalid port {quoted(port)} after host")
        _check_escapes(inside, whole)
    elif ":" in host:
        port = ":" + host.rpartition(":")[2]
        if not _port(port):
            raise _refused(whole, f"invalid port {quoted(port)} after host")
    bad = _bad_host_char(host)
    if bad:
        raise _refused(whole, f"invalid character {quoted(bad[0])} in host name")
    _check_host_escapes(host, whole)
    return userinfo, unquote(host)


def _check_escapes(text: str, whole: str) -> None:
    bad = _escape.search(text)
    if bad:
        raise _refused(whole, f"invalid URL escape {quoted(text[bad.start() : bad.start() + 3])}")


def _check_host_escapes(host: str, whole: str) -> None:
    _check_escapes(host, whole)
    for escaped in re.finditer("%([0-9A-Fa-f]{2})", host):
        if int(escaped[1], 16) < 0x80 and escaped[0] != "%25":  # noqa: PLR2004 - the end of ASCII
            raise _refused(whole, f"invalid URL escape {quoted(escaped[0])}")
