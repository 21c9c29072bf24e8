"""How a pod is treated when its node runs short: by what it asks for and what it is limited to."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from plumbline.apiserver.validation.shapes import mapping, mappings
from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import Quantity

BEST_EFFORT: Final = "BestEffort"
BURSTABLE: Final = "Burstable"
GUARANTEED: Final = "Guaranteed"

_COUNTED: Final = ("cpu", "memory")
_Amounts: TypeAlias = dict[str, Quantity]


def qos_class(spec: JsonObject) -> str:
    """The class of a pod with this *spec*; amounts that cannot be read count as not given."""
    parts = list(_parts(spec))
    requests = _sum(part.get("requests") for part in parts)
    limits = _sum(part.get("limits") for part in parts)
    if not requests and not limits:
        return BEST_EFFORT
    whole = all(len(_amounts(part.get("limits"))) == len(_COUNTED) for part in parts)
    return GUARANTEED if whole and requests == limits else BURSTABLE


def _parts(spec: JsonObject) -> Iterator[Mapping[str, Json]]:
    """Resources of the pod as a whole where it has some, else those of each container."""
    own = spec.get("resources")
    if isinstance(own, dict):
        yield own
        return
    for field in ("containers", "initContainers"):
        yield from (mapping(container.get("resources")) for container in mappings(spec.get(field)))


def _amounts(listed: Json) -> _Amounts:
    found: _Amounts = {}
    for name in _COUNTED:
        amount = mapping(listed).get(name)
        if amount is None:
            continue
        try:
            quantity = Quantity.from_json(amount)
        except BadQuantity:
            continue
        if quantity.digits > 0:
            found[name] = quantity
    return found


def _sum(lists: Iterable[Json]) -> _Amounts:
    total: _Amounts = {}
    for listed in lists:
        for name, amount in _amounts(listed).items():
            total[name] = total[name] + amount if name in total else amount
    return total
