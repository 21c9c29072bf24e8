"""The applied configuration laid over the live object."""

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply.elements import element_of
from plumbline.kube.apply.fieldset import element_text
from plumbline.kube.apply.walk import granular
from plumbline.kube.schema.shape import Form, Shape


def merge(live: JsonObject, config: JsonObject, shape: Shape) -> JsonObject:
    """*live* with everything that *config* says; what is not in *config* stays."""
    declared = shape.fields if shape.form is Form.RECORD else {}
    merged = dict(live)
    for name, value in config.items():
        child = declared.get(name) or shape.values
        merged[name] = _merge_values(live[name], value, child) if name in live else value
    return merged


def _merge_values(live: Json, value: Json, shape: Shape) -> Json:
    if not granular(live, shape):
        return value
    if value is None or (isinstance(value, dict | list) and not value):
        # An empty value claims nothing inside, so what others put there stays.
        return live if value is None or type(value) is type(live) else value
    if type(value) is not type(live) or not granular(value, shape):
        return value
    return merge(live, value, shape) if type(value) is dict else _merge_items(live, value, shape)


def _merge_items(live: list[Json], applied: list[Json], shape: Shape) -> list[Json]:
    live_elements = [element_of(item, shape) for item in live]
    incoming = _unique(applied, shape)
    if live_elements == list(incoming):
        pairs = zip(live, incoming.values(), strict=True)
        return [_merge_values(ours, theirs, shape.values) for ours, theirs in pairs]
    ours = _mergeable(live, live_elements)
    return [
        live[index] if index >= 0 else _merge_one(ours.get(element), incoming[element], shape)
        for element, index in _merged_order(live_elements, incoming)
    ]


def _merge_one(ours: Json, theirs: Json, shape: Shape) -> Json:
    return theirs if ours is None else _merge_values(ours, theirs, shape.values)


def _merged_order(live: list[str], applied: dict[str, Json]) -> list[tuple[str, int]]:
    """Elements in their merged order, each with its place in *live* where it is taken from there alone.

    Shared items follow the applied order; live-only items keep their place relative to the shared ones around them.
    """
    present = set(live)
    shared = iter([element for element in applied if element in present])
    awaited = next(shared, None)
    wanted = list(applied)
    order: list[tuple[str, int]] = []
    placed: set[str] = set()
    left = right = 0
    while left < len(live) or right < len(wanted):
        element = live[left] if left < len(live) else None
        if element is not None and element not in applied:
            order.append((element, left))
            left += 1
            continue
        if element is not None and right < len(wanted) and awaited not in {None, element}:
            left += 1  # shared, but its turn in the applied order has not come or is over
            continue
        if element is not None and (element in placed or element == wanted[right]):
            left += 1
        if right < len(wanted):
            order.append((wanted[right], -1))
            placed.add(wanted[right])
            awaited = next(shared, None) if awaited == wanted[right] else awaited
            right += 1
    return order


def _unique(items: list[Json], shape: Shape) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for item in items:
        element = element_of(item, shape)
        if element in found:
            raise SchemaViolation(f"duplicate entries for key {element_text(element)}")
        found[element] = item
    return found


def _mergeable(items: list[Json], elements: list[str]) -> dict[str, Json]:
    """Live items by element. Items that share a key cannot be merged with, only replaced."""
    found: dict[str, Json] = {}
    for element, item in zip(elements, items, strict=True):
        found[element] = None if element in found else item
    return found
