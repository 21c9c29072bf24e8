"""Proxies: those that a kubeconfig names, and those that the environment does, by the rules that Go's clients follow."""

import base64
import ipaddress
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit, urlunsplit

from plumbline.base.errors import BadKubeconfig
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client.parts import Proxy


def is_loopback(server: str) -> bool:
    host = urlsplit(server).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def parsed_proxy(url: Plaintext) -> Proxy:
    """Raises ValueError, which says what is wrong without quoting the password that it may hold."""
    parts = urlsplit(url.reveal().decode())
    if parts.scheme not in {"http", "https"}:
        raise ValueError(f"proxies of the kind {parts.scheme[:20]!r} are not supported, only http and https")
    if not parts.hostname:
        raise ValueError("it names no host")
    authorization = None
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        authorization = Plaintext(b"Basic " + base64.b64encode(pair))
    return Proxy(urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "", "", "")), authorization)


def environment_proxy(server: str, variables: Mapping[str, str]) -> Proxy | None:
    """What HTTPS_PROXY (or HTTP_PROXY) says, unless NO_PROXY spares the server; loopback is never proxied."""
    target = urlsplit(server)
    name = f"{target.scheme}_proxy"
    found = variables.get(name.upper()) or variables.get(name)
    if not found or is_loopback(server) or _spared(target.hostname or "", target.port, variables):
        return None
    try:
        return parsed_proxy(Plaintext(found if "://" in found else f"http://{found}"))
    except ValueError as wrong:
        raise BadKubeconfig(f"The proxy in {name.upper()} cannot be used", why=str(wrong)) from None


def _spared(host: str, port: int | None, variables: Mapping[str, str]) -> bool:
    listed = variables.get("NO_PROXY") or variables.get("no_proxy") or ""
    return any(_matches(entry.strip().lower(), host.lower(), port) for entry in listed.split(",") if entry.strip())


def _matches(entry: str, host: str, port: int | None) -> bool:
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        pass
    name, colon, wanted = entry.rpartition(":")
    if colon and wanted.isdecimal():
        if port != int(wanted):
            return False
        entry = name
    bare = entry.removeprefix("*").removeprefix(".")
    return host.endswith(f".{bare}") or (host == bare and not entry.startswith((".", "*")))
