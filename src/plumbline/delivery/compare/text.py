"""Differences as text, for terminals and reviews: unified, each with its managers, and without a secret value."""

from collections.abc import Iterable, Sequence
from difflib import unified_diff
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject, encode
from plumbline.delivery.compare.difference import NO_ANSWERS, Answers, difference
from plumbline.delivery.compare.foretelling import foretold_difference
from plumbline.delivery.compare.masking import masked
from plumbline.delivery.compare.predicting import predicted
from plumbline.delivery.compare.rules import Rules
from plumbline.kube.apply.operations import LAST_APPLIED
from plumbline.kube.diff import Change, Difference
from plumbline.kube.names import Ref
from plumbline.kube.schema.shape import Shape

MOST_LINES: Final = 2000
"""Finding the shortest way between two texts takes time that grows with the square of their length."""
_LONGEST_VALUE: Final = 200
_SIGNS: Final = {Change.ADD: "+", Change.CHANGE: "~", Change.REMOVE: "-"}


def difference_text(
    desired: JsonObject | None,
    live: JsonObject | None,
    shape: Shape,
    rules: Rules,
    answers: Answers = NO_ANSWERS,
    *,
    foretold: bool = False,
) -> str:
    """What applying *desired* would change, as a unified diff of YAML with the holders of fields above it.

    With *foretold*, *desired* is what the server says the object would become. Empty where nothing differs. Secret values
    and sensitive annotations are masked before they are compared, so that none of them is in what is printed; what was
    last applied is left out.
    """
    target, present = (shown(obj) for obj in masked(desired, live, rules.options.sensitive_annotations))
    if target is None or present is None:
        whole = present if target is None else target
        return "" if whole is None else _headed(whole, _unified(present, target), ())
    found = differing(desired or {}, live or {}, shape, rules, answers, foretold=foretold)
    if not found:
        return ""
    changed = predicted(present, target, [each.elements for each in found], shape)
    try:
        lines = _unified(present, changed)
    except (InvalidInput, ValueError):
        lines = None  # what cannot be written as YAML is still told field by field
    return _headed(target, lines if lines is not None else map(_line, found), found)


def differing(
    desired: JsonObject, live: JsonObject, shape: Shape, rules: Rules, answers: Answers, *, foretold: bool
) -> tuple[Difference, ...]:
    """How two objects differ that are shown, by whoever was asked about them when they were compared."""
    if foretold:
        return foretold_difference(desired, live, shape, rules)
    return difference(desired, live, shape, rules, answers)


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


def printable(text: str) -> str:
    """Without what a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)
