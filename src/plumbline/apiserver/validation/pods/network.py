"""Names and addresses that pods live with: DNS, host names, ports of the host."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, required, too_long
from plumbline.apiserver.validation.addresses import ip_errors
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import (
    byte_count,
    dns_label,
    dns_subdomain,
    dns_subdomain_with_underscore,
)
from plumbline.apiserver.validation.shapes import mappings, number, text, texts
from plumbline.base.json import Json, JsonObject

_MOST_NAMESERVERS: Final = 3
_MOST_SEARCHES: Final = 32
_SEARCHES_BYTES: Final = 2048
_HOSTNAME_BYTES: Final = 64


def host_network_errors(containers: list[JsonObject], field: str, *, is_pod: bool) -> Iterator[FieldError]:
    """Complaints about ports of containers that share the host's network and claim other numbers there."""
    for index, container in enumerate(containers):
        for position, port in enumerate(mappings(container.get("ports"))):
            outside = number(port.get("hostPort"))
            if (is_pod or outside) and outside != number(port.get("containerPort")):
                detail = "must match `containerPort` when `hostNetwork` is true"
                yield invalid(f"{field}[{index}].ports[{position}].hostPort", outside, detail)


def dns_errors(config: Json, policy: str, at: str) -> Iterator[FieldError]:
    if policy == "None":
        if config is None:
            yield required(at, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not isinstance(config, dict) or not config.get("nameservers"):
            yield required(f"{at}.nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None")
            return
    if not isinstance(config, dict):
        return
    yield from _nameserver_errors(texts(config.get("nameservers")), f"{at}.nameservers")
    yield from _search_errors(texts(config.get("searches")), f"{at}.searches")
    for index, option in enumerate(mappings(config.get("options"))):
        if not option.get("name"):
            yield required(f"{at}.options[{index}]", "must not be empty")


def _nameserver_errors(servers: list[str], field: str) -> Iterator[FieldError]:
    if len(servers) > _MOST_NAMESERVERS:
        yield invalid(field, servers, f"must not have more than {_MOST_NAMESERVERS} nameservers")
    for index, server in enumerate(servers):
        yield from ip_errors(f"{field}[{index}]", server)


def _search_errors(searches: list[str], field: str) -> Iterator[FieldError]:
    if len(searches) > _MOST_SEARCHES:
        yield invalid(field, searches, f"must not have more than {_MOST_SEARCHES} search paths")
    if byte_count(" ".join(searches)) > _SEARCHES_BYTES:
        detail = f"must not have more than {_SEARCHES_BYTES} characters (including spaces) in the search list"
        yield invalid(field, searches, detail)
    for index, search in enumerate(searches):
        if search != ".":
            domain = search.removesuffix(".")
            yield from faulty(f"{field}[{index}]", domain, dns_subdomain_with_underscore(domain))


def hostname_override_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    name, field = text(spec.get("hostnameOverride")), f"{at}.hostnameOverride"
    if spec.get("setHostnameAsFQDN") is True:
        yield forbidden(field, "may not be specified when setHostnameAsFQDN is true")
    if spec.get("hostNetwork") is True:
        yield forbidden(field, "may not be specified when hostNetwork is true")
    if byte_count(name) > _HOSTNAME_BYTES:
        yield too_long(field, _HOSTNAME_BYTES)
    yield from faulty(field, name, dns_subdomain(name))


def hostname_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    for name in ("hostname", "subdomain"):
        if held := text(spec.get(name)):
            yield from faulty(f"{at}.{name}", held, dns_label(held))


def host_alias_errors(aliases: list[JsonObject], field: str) -> Iterator[FieldError]:
    for index, alias in enumerate(aliases):
        yield from ip_errors(f"{field}[{index}].ip", text(alias.get("ip")))
        for position, hostname in enumerate(texts(alias.get("hostnames"))):
            yield from faulty(f"{field}[{index}].hostnames[{position}]", hostname, dns_subdomain(hostname))
