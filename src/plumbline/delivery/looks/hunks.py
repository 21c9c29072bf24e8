"""How an object differs, line by line, for people: each line with who holds its field, and nothing secret in any. Pure."""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.delivery.compare.difference import NO_ANSWERS, Answers
from plumbline.delivery.compare.masking import masked
from plumbline.delivery.compare.migration import owners
from plumbline.delivery.compare.predicting import predicted
from plumbline.delivery.compare.rules import Rules
from plumbline.delivery.compare.text import MOST_LINES, differing, printable, shown
from plumbline.delivery.looks.lines import Line, lines_of
from plumbline.kube.apply.fieldset import element_text
from plumbline.kube.diff import Difference
from plumbline.kube.schema.shape import Shape

_CONTEXT: Final = 3
_LONGEST_LINE: Final = 2_000
_MOST_CHANGES: Final = 500

Held = Callable[[tuple[str, ...]], tuple[str, ...]]


class Marked(NamedTuple):
    op: str
    """` `, `-` or `+`."""
    text: str
    path: str
    managers: tuple[str, ...] = ()
    """Who holds the live value."""
    default: bool = False
    """Nobody wrote it: the server did, where nothing was said."""


class Hunk(NamedTuple):
    before: tuple[int, int]
    """Where it begins in the live object, counted from 1, and how many lines it has there."""
    after: tuple[int, int]
    lines: tuple[Marked, ...]


class Telling(NamedTuple):
    changes: tuple[Difference, ...]
    hunks: tuple[Hunk, ...]
    cut: bool = False
    """It is too long to be shown line by line, or has more changes than are listed."""


def hunks_of(
    desired: JsonObject | None,
    live: JsonObject | None,
    shape: Shape,
    rules: Rules,
    answers: Answers = NO_ANSWERS,
    *,
    foretold: bool = False,
) -> Telling:
    """What applying *desired* would change. Secrets are masked before anything is compared line by line.

    With *foretold*, *desired* is what the server says the object would become.
    """
    target, present = (shown(obj) for obj in masked(desired, live, rules.options.sensitive_annotations))
    if desired is None or live is None:
        return _made((), (present, target), shape, lambda _: ())
    found = differing(desired, live, shape, rules, answers, foretold=foretold)
    if not found or target is None or present is None:
        return Telling((), ())
    after = predicted(present, target, [each.elements for each in found], shape)
    return _made(found, (present, after), shape, owners(live, shape).holding, target)


def _made(
    found: Sequence[Difference],
    sides: tuple[JsonObject | None, JsonObject | None],
    shape: Shape,
    held: Held,
    desired: JsonObject | None = None,
) -> Telling:
    listed = tuple(found[:_MOST_CHANGES])
    try:
        old, new = (lines_of(each, shape) for each in sides)
    except (InvalidInput, ValueError):
        return Telling(listed, (), cut=True)
    if len(old) + len(new) > MOST_LINES:
        return Telling(listed, (), cut=True)
    wanted = {line.elements for line in lines_of(desired, shape)} if desired is not None else None
    return Telling(listed, tuple(_hunks(old, new, held, wanted)), cut=len(found) > len(listed))


def _hunks(old: Sequence[Line], new: Sequence[Line], held: Held, wanted: set[tuple[str, ...]] | None) -> Iterator[Hunk]:
    matcher = SequenceMatcher(None, [each.text for each in old], [each.text for each in new], autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        lines: list[Marked] = []
        for tag, i, j, k, m in group:
            if tag == "equal":
                lines += [_marked(" ", each, held, wanted) for each in old[i:j]]
            else:
                lines += [_marked("-", each, held, None) for each in old[i:j]]
                lines += [_marked("+", each, held, None) for each in new[k:m]]
        first, last = group[0], group[-1]
        yield Hunk((first[1] + 1, last[2] - first[1]), (first[3] + 1, last[4] - first[3]), tuple(lines))


def _marked(op: str, line: Line, held: Held, wanted: set[tuple[str, ...]] | None) -> Marked:
    managers = held(line.elements) if line.elements else ()
    default = wanted is not None and not managers and line.elements not in wanted
    text = line.text if len(line.text) <= _LONGEST_LINE else line.text[:_LONGEST_LINE] + "…"
    return Marked(op, printable(text), "".join(map(element_text, line.elements)), managers, default)


def as_json(each: Telling) -> JsonObject:
    said: JsonObject = {
        "changes": [_change(change) for change in each.changes],
        "hunks": [_hunk(hunk) for hunk in each.hunks],
    }
    return said | {"truncated": True} if each.cut else said


def _change(each: Difference) -> JsonObject:
    said: JsonObject = {"path": each.path, "change": each.change.value, "managers": list(each.managers)}
    return said | {"secret": True} if each.secret else said


def _hunk(each: Hunk) -> JsonObject:
    places = zip(("beforeStart", "beforeLines", "afterStart", "afterLines"), (*each.before, *each.after), strict=True)
    return {**dict(places), "lines": [_line(line) for line in each.lines]}


def _line(each: Marked) -> JsonObject:
    said: dict[str, Json] = {"op": each.op, "text": each.text, "path": each.path, "managers": list(each.managers)}
    return {name: value for name, value in {**said, "default": each.default}.items() if value}
