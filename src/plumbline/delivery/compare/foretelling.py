"""What a server says an object would become, beside what it is. Pure.

The answer to a dry run holds what we apply, and whatever defaulting and admission would make of that. What they would add
is nobody's drift: unless somebody asks for it, only the fields that would be ours count, and the rest is as it is.
"""

from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.delivery.compare.difference import Answers, ignoring, sealed, sides
from plumbline.delivery.compare.ignored import without_ignored
from plumbline.delivery.compare.known import known_shape
from plumbline.delivery.compare.masking import is_secret
from plumbline.delivery.compare.migration import owners
from plumbline.delivery.compare.predicting import predicted
from plumbline.delivery.compare.rules import MANAGER, Rules
from plumbline.kube.apply.fieldset import SELF, FieldSet, union
from plumbline.kube.apply.operations import LAST_APPLIED
from plumbline.kube.diff import Difference
from plumbline.kube.diff.exact import exact, named_items
from plumbline.kube.diff.secrets import hidden
from plumbline.kube.names import Ref
from plumbline.kube.schema.shape import FREE, Form, Shape

_BOOKKEEPING: Final = frozenset({"managedFields", "resourceVersion", "generation", "creationTimestamp"})


class Foretold(NamedTuple):
    differences: tuple[Difference, ...]
    after: JsonObject
    """The live object with nothing changed but what differs."""


def foretold(
    merged: JsonObject, live: JsonObject, shape: Shape, rules: Rules, answers: Answers, *, webhooks: bool
) -> Foretold:
    """What the server's answer *merged* means for *live*, but for what *rules* ignore; *webhooks* to count what they add.

    *answers* are jq's about these two.
    """
    applying = rules.applying(Ref.of(live))
    shape = known_shape(shape, applying.known) if applying.known else shape
    want, have = sides(merged if webhooks else settled(merged, live, shape), live, rules, applying)
    ignored = ignoring(want, have, shape, applying, answers)
    left = [without_ignored(each, ignored, shape) if ignored else each for each in (want, have)]
    found = _exact(left[0], left[1], live, shape)
    if applying.managers:
        found = [each for each in found if applying.managers.isdisjoint(each.managers)]
    after = predicted(have, want, [each.elements for each in found], shape) if found else live
    return Foretold(sealed(found, rules), after)


def foretold_difference(after: JsonObject, live: JsonObject, shape: Shape, rules: Rules) -> tuple[Difference, ...]:
    """The same again, from what it left to be known."""
    applying = rules.applying(Ref.of(live))
    shape = known_shape(shape, applying.known) if applying.known else shape
    return sealed(_exact(*sides(after, live, rules, applying), live, shape), rules)


def _exact(want: JsonObject, have: JsonObject, live: JsonObject, shape: Shape) -> list[Difference]:
    found = exact(comparable(want), comparable(have), shape, owners(live, shape).holding)
    return [hidden(each) for each in found] if is_secret(live) else found


def comparable(obj: JsonObject) -> JsonObject:
    """Without what every write changes, and what only client-side applies look at."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return obj
    kept = {name: value for name, value in metadata.items() if name not in _BOOKKEEPING}
    annotations = kept.get("annotations")
    if isinstance(annotations, dict) and LAST_APPLIED in annotations:
        kept["annotations"] = {name: text for name, text in annotations.items() if name != LAST_APPLIED}
        if not kept["annotations"]:
            del kept["annotations"]
    return {**obj, "metadata": kept}


def settled(merged: JsonObject, live: JsonObject, shape: Shape) -> JsonObject:
    """*merged* with every field that would not be ours as it is in *live*. What it lacks is gone, whosever it was."""
    ours: FieldSet = {}
    for manager, owned in owners(merged, shape).managed.items():
        if manager.name == MANAGER:
            ours = union(ours, owned.fields)
    return _map(merged, live, ours, shape)


def _map(made: JsonObject, have: JsonObject, ours: FieldSet, shape: Shape) -> JsonObject:
    kept: JsonObject = {}
    for name, value in made.items():
        node, child = _node(ours, f"f:{name}"), shape.child(name) or FREE
        if have.get(name) is not None:
            kept[name] = _value(value, have[name], node, child)
        elif node is not None:
            own = _own(value, node, child)
            if own or not value or child.form is not Form.MAP:  # a map with nothing of ours in it says nothing
                kept[name] = own
    return kept


def _node(ours: FieldSet | None, element: str) -> FieldSet | None:
    """What is ours at and below *element*; None where nothing is."""
    node = ours.get(element) if ours else None
    return node if isinstance(node, dict) else None


def _value(made: Json, have: Json, ours: FieldSet | None, shape: Shape) -> Json:
    if isinstance(made, dict) and isinstance(have, dict) and _piecewise(shape):
        return _map(made, have, ours or {}, shape)
    if isinstance(made, list) and isinstance(have, list):
        items, present = named_items(made, shape), named_items(have, shape)
        if items is not None and present is not None:
            return _items(items, present, ours or {}, shape)
    return have if ours is None else made


def _piecewise(shape: Shape) -> bool:
    return not shape.atomic and shape.form is not Form.SCALAR


def _items(made: dict[str, Json], have: dict[str, Json], ours: FieldSet, shape: Shape) -> list[Json]:
    kept = []
    for element, item in made.items():
        node = _node(ours, element)
        if element in have:
            kept.append(_value(item, have[element], node, shape.values))
        elif node is not None:
            kept.append(_own_item(item, node, shape))
    return kept


def _own(value: Json, ours: FieldSet, shape: Shape) -> Json:
    """The part of a new *value* that would be ours."""
    if isinstance(value, dict) and value and _piecewise(shape) and (ours or shape.form is not Form.FREE):
        nodes = ((name, each, _node(ours, f"f:{name}")) for name, each in value.items())
        return {name: _own(each, node, shape.child(name) or FREE) for name, each, node in nodes if node is not None}
    items = named_items(value, shape) if isinstance(value, list) and ours else None
    if items is None:
        return value
    return [_own_item(item, ours[element], shape) for element, item in items.items() if element in ours]


def _own_item(item: Json, ours: FieldSet, shape: Shape) -> Json:
    """With its keys, by whoever they were filled in: an item without them is another one, or none."""
    kept = _own(item, {SELF: {}} if not ours and isinstance(item, dict) else ours, shape.values)
    if not isinstance(kept, dict) or not isinstance(item, dict):
        return kept
    return {**{key: item[key] for key in shape.keys if key in item}, **kept}
