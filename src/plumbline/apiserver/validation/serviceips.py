"""The addresses of a Service: one or two of them, of which families, and what of that may change."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate, invalid, not_supported, required
from plumbline.apiserver.validation.addresses import ip_errors, parse_ip
from plumbline.apiserver.validation.checks import choice_errors
from plumbline.apiserver.validation.shapes import text, texts
from plumbline.base.json import Json, JsonObject

_FAMILIES: Final = ("IPv4", "IPv6")
_POLICIES: Final = ("PreferDualStack", "RequireDualStack", "SingleStack")
_CHANGED: Final = "may not change once set"
_MOST: Final = 2


def type_of(spec: JsonObject) -> str:
    return text(spec.get("type"))


def headless(spec: JsonObject) -> bool:
    return spec.get("clusterIPs") == ["None"]


def cluster_ip_errors(spec: JsonObject, old_spec: JsonObject) -> Iterator[FieldError]:
    if type_of(spec) == "ExternalName":
        return
    ips, shown = texts(spec.get("clusterIPs")), spec.get("clusterIPs")
    yield from _first_ip_errors(text(spec.get("clusterIP")), ips, shown)
    yield from _family_errors(spec)
    bad = list(_single_ip_errors(ips, shown, texts(old_spec.get("clusterIPs"))))
    yield from bad
    if len(ips) > _MOST:
        yield invalid("spec.clusterIPs", shown, "may only hold up to 2 values")
    if bad:
        return
    if len(ips) > 1 and not _dual_stack(ips):
        yield invalid("spec.clusterIPs", shown, "may specify no more than one IP for each IP family")
    if not headless(spec):
        yield from _matching_errors(ips, texts(spec.get("ipFamilies")))


def _first_ip_errors(ip: str, ips: list[str], shown: Json) -> Iterator[FieldError]:
    if ip and not ips:
        yield required("spec.clusterIPs")
    elif ip and ips[0] != ip:
        yield invalid("spec.clusterIPs", shown, "first value must match `clusterIP`")
    elif ips and not ip:
        yield invalid("spec.clusterIPs", shown, "must be empty when `clusterIP` is not specified")


def _family_errors(spec: JsonObject) -> Iterator[FieldError]:
    families = texts(spec.get("ipFamilies"))
    for index, family in enumerate(families):
        if family not in _FAMILIES:
            yield not_supported(f"spec.ipFamilies[{index}]", family, _FAMILIES)
        if family in families[:index]:
            yield duplicate(f"spec.ipFamilies[{index}]", family)
    yield from choice_errors("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), _POLICIES)


def _single_ip_errors(ips: list[str], shown: Json, kept: list[str]) -> Iterator[FieldError]:
    for index, ip in enumerate(ips):
        if index == 0 and ip == "None":
            if len(ips) > 1:
                yield invalid("spec.clusterIPs", shown, "'None' must be the first and only value")
            continue
        yield from ip_errors(f"spec.clusterIPs[{index}]", ip, kept)


def _dual_stack(ips: list[str]) -> bool:
    return {address.is_ipv4 for address in map(parse_ip, ips) if address} == {True, False}


def _matching_errors(ips: list[str], families: list[str]) -> Iterator[FieldError]:
    for index, (ip, family) in enumerate(zip(ips, families, strict=False)):
        address = parse_ip(ip)
        found = "IPv6" if address and not address.is_ipv4 else "IPv4"
        if family in _FAMILIES and family != found:
            detail = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            yield invalid(f"spec.clusterIPs[{index}]", ip, detail)


def cluster_ip_update_errors(spec: JsonObject, old_spec: JsonObject) -> Iterator[FieldError]:
    if "ExternalName" in {type_of(spec), type_of(old_spec)} or (headless(spec) and headless(old_spec)):
        return
    ips, former, shown = texts(spec.get("clusterIPs")), texts(old_spec.get("clusterIPs")), spec.get("clusterIPs")
    if len(ips) == len(former):
        for index, ip in enumerate(former):
            if ip != ips[index]:
                yield invalid(f"spec.clusterIPs[{index}]", shown, _CHANGED)
        return
    if not ips:
        yield invalid("spec.clusterIPs[0]", shown, "primary clusterIP can not be unset")
    elif former and ips[0] != former[0]:
        yield invalid("spec.clusterIPs[0]", shown, _CHANGED)
    if len(former) > len(ips) == 1:
        yield from _release_errors(spec, "clusterIP")


def ip_family_update_errors(spec: JsonObject, old_spec: JsonObject) -> Iterator[FieldError]:
    if "ExternalName" in {type_of(spec), type_of(old_spec)} or headless(spec) or headless(old_spec):
        return
    families, former = texts(spec.get("ipFamilies")), texts(old_spec.get("ipFamilies"))
    field = "spec.ipFamilies[0]"
    if len(families) == len(former):
        for index, family in enumerate(former):
            if family != families[index]:
                yield invalid(field, spec.get("ipFamilies"), _CHANGED)
        return
    if len(former) > len(families) and not spec.get("clusterIPs"):
        yield invalid(field, spec.get("ipFamilies"), "primary ipFamily can not be unset")
    if families and former and families[0] != former[0]:
        # The server shows the addresses here, not the families.
        yield invalid(field, spec.get("clusterIPs"), _CHANGED)
    if len(former) > len(families) == 1:
        yield from _release_errors(spec, "ipFamily")


def _release_errors(spec: JsonObject, what: str) -> Iterator[FieldError]:
    policy = spec.get("ipFamilyPolicy")
    if policy != "SingleStack":
        detail = f"must be set to 'SingleStack' when releasing the secondary {what}"
        yield invalid("spec.ipFamilyPolicy", policy, detail)
