"""What a pod asks for and may use as a whole, from what its containers do."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from plumbline.apiserver.validation.shapes import mapping, mappings
from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import Quantity

Amounts: TypeAlias = dict[str, Quantity]
_FOR_PODS: Final = ("cpu", "memory")


def amounts(listed: Json) -> Amounts:
    """By name; what is no quantity is not there, as validation has refused it or will."""
    found: Amounts = {}
    for name, value in mapping(listed).items():
        try:
            found[name] = Quantity.from_json(value)
        except BadQuantity:
            continue
    return found


def pod_amounts(spec: JsonObject, field: str) -> Amounts:
    """Requests or limits, as *field* says: containers and sidecars together, or what starting needs if that is more."""
    total: Amounts = {}
    for container in mappings(spec.get("containers")):
        _add(total, _of(container, field))
    starting: Amounts = {}
    for needed, runs_on in _starting(spec, field):
        _raise(starting, needed)
        if runs_on is not None:
            _add(total, runs_on)
    _raise(total, starting)
    whole = amounts(mapping(spec.get("resources")).get(field))
    return {**total, **{name: amount for name, amount in whole.items() if name in _FOR_PODS}}


def _starting(spec: JsonObject, field: str) -> Iterator[tuple[Amounts, Amounts | None]]:
    """For each init container: what runs while it starts, and what of it runs on afterwards."""
    sidecars: Amounts = {}
    for container in mappings(spec.get("initContainers")):
        own = _of(container, field)
        if container.get("restartPolicy") == "Always":
            _add(sidecars, own)
            yield dict(sidecars), own
        else:
            beside = dict(own)
            _add(beside, sidecars)
            yield beside, None


def _of(container: JsonObject, field: str) -> Amounts:
    return amounts(mapping(container.get("resources")).get(field))


def _add(total: Amounts, more: Amounts) -> None:
    for name, amount in more.items():
        total[name] = total[name] + amount if name in total else amount


def _raise(total: Amounts, least: Amounts) -> None:
    for name, amount in least.items():
        if name not in total or amount > total[name]:
            total[name] = amount
