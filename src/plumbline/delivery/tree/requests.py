"""How much of a node a pod asks for, in thousandths: what its containers ask for together, or one of those before. Pure."""

from collections.abc import Iterable, Iterator
from typing import Final

from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json, JsonObject
from plumbline.delivery.tree.reading import below, records
from plumbline.kube.quantity import Quantity

Amounts = dict[str, int]

RESOURCES: Final = ("cpu", "memory", "storage")
_MILLI: Final = -3


def milli(value: Json) -> int:
    """A quantity in thousandths, rounded up; zero for what is none."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return 0
    try:
        return Quantity.from_json(value).rounded_up(_MILLI)
    except (BadQuantity, ValueError, OverflowError):
        return 0


def requested(pod: JsonObject) -> Amounts:
    """By resource. Sidecars count beside all that start after them; what the pod says itself beats its containers."""
    spec = below(pod, "spec")
    total = _sum(_asked(each) for each in records(spec, "containers"))
    sidecars: Amounts = {}
    for container in records(spec, "initContainers"):
        own = _asked(container)
        if container.get("restartPolicy") == "Always":
            sidecars = _sum((sidecars, own))
            total = _sum((total, own))
        total = _largest(total, sidecars if container.get("restartPolicy") == "Always" else _sum((sidecars, own)))
    whole = _read(below(spec, "resources", "requests"))
    return _sum((total | whole, _read(below(spec, "overhead"))))


def _asked(container: JsonObject) -> Amounts:
    return _read(below(container, "resources", "requests"))


def _read(amounts: JsonObject) -> Amounts:
    return {name: milli(amounts[name]) for name in RESOURCES if name in amounts}


def _sum(several: Iterable[Amounts]) -> Amounts:
    total: Amounts = {}
    for name, amount in _items(several):
        total[name] = total.get(name, 0) + amount
    return total


def _largest(*several: Amounts) -> Amounts:
    most: Amounts = {}
    for name, amount in _items(several):
        most[name] = max(most.get(name, 0), amount)
    return most


def _items(several: Iterable[Amounts]) -> Iterator[tuple[str, int]]:
    return (item for each in several for item in each.items())
