"""What a pod asks for as a whole: its containers' resources added up, as scheduler and kubelet do."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import Quantity

Resources = dict[str, Quantity]
_POD_LEVEL: Final = ("cpu", "memory", "hugepages-")


def pod_resources(spec: JsonObject, field: str) -> Resources:
    """Its `requests` or `limits`.

    Sidecars add to everything that runs beside them; init containers count only where one of them needs more than all
    the rest together.
    """
    total: Resources = {}
    for container in spec.get("containers") or ():
        _add(total, _of(container, field))
    beside: Resources = {}
    initial: Resources = {}
    for container in spec.get("initContainers") or ():
        own = _of(container, field)
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(beside, own)
            own = dict(beside)
        else:
            _add(own, beside)
        _raise(initial, own)
    _raise(total, initial)
    whole = _of(spec, field)
    total.update((name, whole[name]) for name in whole if name.startswith(_POD_LEVEL))
    for name, extra in _quantities(spec.get("overhead")).items():
        if field == "requests" or total.get(name):
            _add(total, {name: extra})
    return total


def spelled(resources: Mapping[str, Quantity]) -> dict[str, str]:
    return {name: str(resources[name]) for name in sorted(resources)}


def quantity(value: Json) -> Quantity:
    """Of a stored field; what cannot be read counts as nothing."""
    try:
        return Quantity.from_json(value)
    except BadQuantity:
        return Quantity(0)


def _of(holder: JsonObject, field: str) -> Resources:
    return _quantities((holder.get("resources") or {}).get(field))


def _quantities(amounts: Mapping[str, Json] | None) -> Resources:
    return {name: quantity(amount) for name, amount in (amounts or {}).items()}


def _add(total: Resources, more: Mapping[str, Quantity]) -> None:
    for name, amount in more.items():
        total[name] = total[name] + amount if name in total else amount


def _raise(total: Resources, least: Mapping[str, Quantity]) -> None:
    for name, amount in least.items():
        if name not in total or total[name] < amount:
            total[name] = amount
