"""The addresses of a Service within the cluster."""

from plumbline.apiserver import statuses
from plumbline.apiserver.allocation.claims import Claims
from plumbline.apiserver.allocation.families import preferring
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.strategies.services.needs import headless, needs_address
from plumbline.apiserver.validation.addresses import parse_ip
from plumbline.apiserver.validation.shapes import texts
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

_FIELD = "spec.clusterIPs"


def with_addresses(spec: JsonObject, old: JsonObject | None, claims: Claims) -> JsonObject:
    """*spec*, whose families are known, with an address of each."""
    if not needs_address(spec) or headless(spec) or preferring(spec, old):
        return spec
    if old is None or not needs_address(old):
        return _allocated(spec, claims, first=0)
    if headless(old):
        return spec
    upgraded = len(texts(old.get("ipFamilies"))) == 1 and len(texts(spec.get("ipFamilies"))) > 1
    return _allocated(spec, claims, first=1) if upgraded else spec


def _allocated(spec: JsonObject, claims: Claims, *, first: int) -> JsonObject:
    families, addresses = texts(spec.get("ipFamilies")), texts(spec.get("clusterIPs"))
    wanted = [*addresses, *[""] * (len(families) - len(addresses))]
    got = list(wanted)
    for index in range(first, len(families)):
        got[index] = _address(families[index], wanted, index, claims)
    return {**spec, "clusterIP": got[0], "clusterIPs": got}


def _address(family: str, wanted: list[str], index: int, claims: Claims) -> str:
    asked = wanted[index]
    if not asked:
        return claims.next_address(family)
    address = parse_ip(asked)
    if address is None:
        raise statuses.internal(f"failed to parse service IP {quoted(asked)}")
    if why := claims.take_address(family, int(address.ip)):
        raise claims.invalid(invalid(_FIELD, wanted, f"failed to allocate IP {asked}: {why}"))
    return asked
