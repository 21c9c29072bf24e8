"""Of which families the addresses of a Service are: as asked for, as its addresses say, or as the cluster has them."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.apiserver.strategies.services.needs import headless, needs_address
from plumbline.apiserver.validation.addresses import parse_ip
from plumbline.apiserver.validation.serviceips import cluster_ip_errors
from plumbline.apiserver.validation.shapes import mapping, text, texts
from plumbline.base.json import JsonObject

IPV4: Final = "IPv4"
IPV6: Final = "IPv6"
SINGLE: Final = "SingleStack"
_DUAL: Final = "RequireDualStack"
_PREFERRED: Final = "PreferDualStack"
_POLICY: Final = "spec.ipFamilyPolicy"
_BOTH: Final = 2


class Familiar(NamedTuple):
    """A spec with a policy and families, or what is wrong with it."""

    spec: JsonObject
    errors: Sequence[FieldError] = ()


def with_families(spec: JsonObject, old: JsonObject | None, configured: tuple[str, ...]) -> Familiar:
    """The first of *configured* is the cluster's own family."""
    if not needs_address(spec) or preferring(spec, old):
        return Familiar(spec)
    spec = _with_policy(spec, old)
    if wrong := list(cluster_ip_errors(spec, old or {})):
        return Familiar(spec, wrong)
    if old is not None and spec["ipFamilyPolicy"] == SINGLE:
        spec = _reduced(spec, old)
    errors = [*(_kept_errors(spec, old) if old is not None else ()), *_single_errors(spec)]
    known = _by_addresses(spec, configured)
    errors += known.errors
    return Familiar(spec, errors) if errors else _completed(known.spec, configured)


def preferring(spec: JsonObject, old: JsonObject | None) -> bool:
    """Nothing about addresses changed in a Service that would like two families: it keeps what it has."""
    if old is None or spec.get("ipFamilyPolicy") != _PREFERRED or spec.get("type") != old.get("type"):
        return False
    if old.get("ipFamilyPolicy") not in (None, _PREFERRED):
        return False
    return all(texts(spec.get(field)) == texts(old.get(field)) for field in ("clusterIPs", "ipFamilies"))


def family_of(ip: str) -> str:
    address = parse_ip(ip)
    if address is None:
        return "unknown"
    return IPV4 if address.is_ipv4 else IPV6


def _selectorless(spec: JsonObject) -> bool:
    return spec.get("clusterIP") == "None" and not mapping(spec.get("selector"))


def _with_policy(spec: JsonObject, old: JsonObject | None) -> JsonObject:
    if spec.get("ipFamilyPolicy") is not None:
        return spec
    policy = (old or {}).get("ipFamilyPolicy") or (_DUAL if _selectorless(spec) else SINGLE)
    return {**spec, "ipFamilyPolicy": policy}


def _reduced(spec: JsonObject, old: JsonObject) -> JsonObject:
    """Whoever goes back to one family gives up the second, unless they say otherwise."""
    for field in ("clusterIPs", "ipFamilies"):
        if len(texts(spec.get(field))) > 1 and texts(spec.get(field)) == texts(old.get(field)):
            spec = {**spec, field: spec[field][:1]}
    return spec


def _kept_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    policy = spec["ipFamilyPolicy"]
    if policy == SINGLE:
        return
    for field, what in (("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")):
        if 0 < len(texts(spec.get(field))) < len(texts(old.get(field))):
            yield invalid(_POLICY, policy, f"must be 'SingleStack' to release the secondary {what}")


def _single_errors(spec: JsonObject) -> Iterator[FieldError]:
    policy = spec["ipFamilyPolicy"]
    if policy != SINGLE:
        return
    for field, what in (("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")):
        if len(texts(spec.get(field))) == _BOTH:
            detail = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
            yield invalid(_POLICY, policy, detail)


def _by_addresses(spec: JsonObject, configured: tuple[str, ...]) -> Familiar:
    """*spec* with the families of its addresses where it names none, and complaints about those unknown here."""
    addresses, families = texts(spec.get("clusterIPs")), texts(spec.get("ipFamilies"))
    errors: list[FieldError] = []
    if headless(spec):
        return Familiar(spec)
    for index, ip in enumerate(addresses):
        if index < len(families):
            continue
        if (family := family_of(ip)) in configured:
            families = [*families, family]
        else:
            detail = f"{family} is not configured on this cluster"
            errors.append(invalid(f"spec.clusterIPs[{index}]", spec["clusterIPs"], detail))
    return Familiar({**spec, "ipFamilies": families} if families else spec, errors)


def _completed(spec: JsonObject, configured: tuple[str, ...]) -> Familiar:
    families, policy = texts(spec.get("ipFamilies")), text(spec["ipFamilyPolicy"])
    both = policy != SINGLE
    if not _selectorless(spec):
        errors = [
            invalid(f"spec.ipFamilies[{index}]", family, "not configured on this cluster")
            for index, family in enumerate(families)
            if family not in configured
        ]
        if policy == _DUAL and len(configured) < _BOTH:
            detail = "this cluster is not configured for dual-stack services"
            errors.insert(0, invalid(_POLICY, policy, detail))
        if errors:
            return Familiar(spec, errors)
        both = both and len(configured) == _BOTH
    families = families or [configured[0]]
    if both and len(families) == 1:
        families = [*families, IPV6 if families[0] == IPV4 else IPV4]
    return Familiar({**spec, "ipFamilies": families})
