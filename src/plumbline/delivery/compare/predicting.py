"""A live object with some of its fields as they are to be."""

from collections.abc import Iterator, Sequence

from plumbline.base.json import Json, JsonObject
from plumbline.delivery.compare.ignored import item_names
from plumbline.kube.schema.shape import FREE, Shape


def predicted(live: Json, desired: Json, places: Sequence[tuple[str, ...]], shape: Shape) -> Json:
    """*live* with *desired*'s values at *places*."""
    below: dict[str, list[tuple[str, ...]]] = {}
    for place in places:
        below.setdefault(place[0], []).append(place[1:])
    if isinstance(live, dict):
        return _predicted_map(live, desired if isinstance(desired, dict) else {}, below, shape)
    if isinstance(live, list):
        return list(_predicted_items(live, desired if isinstance(desired, list) else [], below, shape))
    return live


def _predicted_map(
    live: JsonObject, desired: JsonObject, below: dict[str, list[tuple[str, ...]]], shape: Shape
) -> JsonObject:
    changed = dict(live)
    for element, rests in below.items():
        name = element[2:]
        if () not in rests:
            changed[name] = predicted(live.get(name), desired.get(name), rests, shape.child(name) or FREE)
        elif desired.get(name) is None:
            changed.pop(name, None)
        else:
            changed[name] = desired[name]
    return changed


def _predicted_items(
    live: list[Json], desired: list[Json], below: dict[str, list[tuple[str, ...]]], shape: Shape
) -> Iterator[Json]:
    wanted = dict(zip(item_names(desired, shape), desired, strict=True))
    names = item_names(live, shape)
    for name, item in zip(names, live, strict=True):
        rests = below.get(name)
        if rests is None:
            yield item
        elif () not in rests:
            yield predicted(item, wanted.get(name), rests, shape.values)
        elif name in wanted:
            yield wanted[name]
    present = set(names)
    for element, rests in below.items():
        if element not in present and () in rests and element in wanted:
            yield wanted[element]
