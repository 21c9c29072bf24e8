"""URLs of webhooks, taken apart as Go does it: its faults are told in complaints."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from plumbline.apiserver.fielderrors import FieldError, invalid, required
from plumbline.apiserver.validation.addresses import parse_ip
from plumbline.kube.gotext import quoted

_FORM: Final = "; desired format: https://host[/path]"
_control: Final = re.compile(r"[\x00-\x1f\x7f]").search
_scheme: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):").match
_port: Final = re.compile(r"(:[0-9]*)?").fullmatch
_user: Final = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*").fullmatch
_escape: Final = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL).search
_host_escape: Final = re.compile(r"%(?!25)[0-7][0-9A-Fa-f]").search
_host_stranger: Final = re.compile(r"[^\w.~!$&'()*+,;=:\[\]<>\"%\-\x80-\U0010ffff]", re.ASCII).search


class _Url(NamedTuple):
    scheme: str = ""
    host: str = ""
    user: str | None = None
    query: str = ""
    fragment: str = ""
    fault: str = ""


def webhook_url_errors(field: str, url: str) -> Iterator[FieldError]:
    """Complaints about where a webhook shall be called."""
    read = _parsed(url)
    if read.fault:
        yield required(field, f"url must be a valid URL: {read.fault}{_FORM}")
        return
    if read.scheme != "https":
        yield invalid(field, read.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    if not read.host:
        yield invalid(field, read.host, f"host must be specified{_FORM}")
    if read.user is not None:
        yield invalid(field, read.user, "user information is not permitted in the URL")
    if read.fragment:
        yield invalid(field, read.fragment, "fragments are not permitted in the URL")
    if read.query:
        yield invalid(field, read.query, "query parameters are not permitted in the URL")


def _parsed(url: str) -> _Url:
    before, _, fragment = url.partition("#")
    read = _without_fragment(before)
    if read.fault:
        return _Url(fault=f"parse {quoted(before)}: {read.fault}")
    if fault := _escape_fault(fragment):
        return _Url(fault=f"parse {quoted(url)}: {fault}")
    return read._replace(fragment=unquote(fragment))


def _without_fragment(url: str) -> _Url:
    if _control(url):
        return _Url(fault="net/url: invalid control character in URL")
    if url.startswith(":"):
        return _Url(fault="missing protocol scheme")
    found = _scheme(url)
    scheme = found[1].lower() if found else ""
    rest, _, query = url[found.end() if found else 0 :].partition("?")
    if not rest.startswith("/"):
        if not scheme and ":" in rest.partition("/")[0]:
            return _Url(fault="first path segment in URL cannot contain colon")
        return _Url(scheme, query=query, fault="" if scheme else _escape_fault(rest))
    authority, path = "", rest
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, tail = rest[2:].partition("/")
        path = slash + tail
    user_text, at, host = authority.rpartition("@")
    fault = _host_fault(host, scheme) or (_user_fault(user_text) if at else "") or _escape_fault(path)
    return _Url(scheme, unquote(host), _shown_user(user_text) if at else None, query, fault=fault)


def _escape_fault(text: str) -> str:
    bad = _escape(text)
    return f"invalid URL escape {quoted(bad[0])}" if bad else ""


def _host_fault(host: str, scheme: str) -> str:
    if host.startswith("["):
        return _bracket_fault(host)
    if "[" in host:
        return "invalid IP-literal"
    if ":" in host:
        # Only these two schemes have one colon at most.
        place = host.index(":") if scheme in {"http", "https"} else host.rindex(":")
        if not _port(host[place:]):
            return f"invalid port {quoted(host[place:])} after host"
    return _host_text_fault(host)


def _host_text_fault(host: str) -> str:
    faults = {bad.start(): f"invalid URL escape {quoted(bad[0])}" for bad in (_escape(host), _host_escape(host)) if bad}
    if stranger := _host_stranger(host):
        faults[stranger.start()] = f"invalid character {quoted(stranger[0])} in host name"
    return faults[min(faults)] if faults else ""


def _bracket_fault(host: str) -> str:
    literal, bracket, port = host[1:].rpartition("]")
    if not bracket:
        return "missing ']' in host"
    if not _port(port):
        return f"invalid port {quoted(port)} after host"
    address, zone, _ = literal.partition("%25")
    if fault := _host_text_fault(address):
        return fault
    ip = parse_ip(address)
    if ip is None or (zone and ":" not in address):
        return f"invalid host: ParseAddr({quoted(unquote(literal))}): unable to parse IP"
    return "" if ":" in address else "invalid IP-literal"


def _user_fault(user: str) -> str:
    return _escape_fault(user) if _user(user) else "net/url: invalid userinfo"


def _shown_user(user: str) -> str:
    name, colon, password = user.partition(":")
    return colon.join(quote(unquote(each), safe="$&+,;=~") for each in ((name, password) if colon else (name,)))
