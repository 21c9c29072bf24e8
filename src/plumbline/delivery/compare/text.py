"""Differences as text, for terminals and reviews: unified, each with its managers, and without a secret value."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject, encode
from plumbline.delivery.compare.difference import NO_ANSWERS, Answers, difference
from plumbline.delivery.compare.ignored import item_names
from plumbline.delivery.compare.masking import masked
from plumbline.delivery.compare.rules import Rules
from plumbline.kube.apply.operations import LAST_APPLIED
from plumbline.kube.diff import Change, Difference
from plumbline.kube.names import Ref
from plumbline.kube.schema.shape import FREE, Shape

MOST_LINES: Final = 2000
"""Finding the shortest way between two texts takes time that grows with the square of their length."""
_LONGEST_VALUE: Final = 200
_SIGNS: Final = {Change.ADD: "+", Change.CHANGE: "~", Change.REMOVE: "-"}


def difference_text(
    desired: JsonObject | None, live: JsonObject | None, shape: Shape, rules: Rules, answers: Answers = NO_ANSWERS
) -> str:
    """What applying *desired* would change, as a unified diff of YAML with the holders of fields above it.

    Empty where nothing differs. Secret values and sensitive annotations are masked before they are compared, so that
    none of them is in what is printed; what was last applied is left out.
    """
    target, present = (shown(obj) for obj in masked(desired, live, rules.options.sensitive_annotations))
    if target is None or present is None:
        whole = present if target is None else target
        return "" if whole is None else _headed(whole, _unified(present, target), ())
    found = difference(desired or {}, live or {}, shape, rules, answers)
    if not found:
        return ""
    changed = predicted(present, target, [each.elements for each in found], shape)
    try:
        lines = _unified(present, changed)
    except (InvalidInput, ValueError):
        lines = None  # what cannot be written as YAML is still told field by field
    return _headed(target, lines if lines is not None else map(_line, found), found)


def states_text(live: JsonObject | None, after: JsonObject | None) -> str:
    """The same for an object as it is and as it would be, of which somebody else has found how they differ."""
    present, changed = shown(live), shown(after)
    whole = present if changed is None else changed
    return "" if whole is None or present == changed else _headed(whole, _unified(present, changed), ())


def _headed(obj: JsonObject, lines: Iterable[str] | None, found: Sequence[Difference]) -> str:
    ref = Ref.of(obj)
    head = [f"===== {ref.group}/{ref.kind} {ref.namespace}/{ref.name} ======"]
    head.extend(f"# {each.path} is held by {', '.join(each.managers)}" for each in found if each.managers)
    body = lines if lines is not None else ["# too long to be shown line by line"]
    return printable("\n".join([*head, *body])) + "\n"


def _unified(before: JsonObject | None, after: JsonObject | None) -> list[str] | None:
    from plumbline.base.documents import dump_yaml  # noqa: PLC0415 - YAML is loaded by those who print it

    old = [] if before is None else dump_yaml(before).splitlines()
    new = [] if after is None else dump_yaml(after).splitlines()
    if len(old) + len(new) > MOST_LINES and old and new:
        return None
    return list(unified_diff(old, new, "live", "desired", lineterm=""))


def _line(each: Difference) -> str:
    if each.secret:
        return f"{_SIGNS[each.change]} {each.path}: secret value, not shown"
    value = each.live if each.change is Change.REMOVE else each.desired
    text = encode(value).decode()
    return f"{_SIGNS[each.change]} {each.path}: {text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + '…'}"


def shown(obj: JsonObject | None) -> JsonObject | None:
    """*obj* without what only machines read."""
    metadata = obj.get("metadata") if obj is not None else None
    if obj is None or not isinstance(metadata, dict):
        return obj
    kept = {name: value for name, value in metadata.items() if name not in {"managedFields", "resourceVersion"}}
    annotations = kept.get("annotations")
    if isinstance(annotations, dict):
        kept["annotations"] = {name: value for name, value in annotations.items() if name != LAST_APPLIED}
    return {**obj, "metadata": kept}


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


def printable(text: str) -> str:
    """Without what a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)
