"""Keys by other names, and secrets that hold JSON taken apart: `dataFrom[].rewrite`."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from plumbline.base.errors import BadExpression, EvaluationFailed, InvalidInput, LimitExceeded
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.base.regex import Captures, capturing
from plumbline.gotemplate import Bounds, Surroundings, Template
from plumbline.gotemplate.values import StringMap
from plumbline.kinds.externalsecrets.externalsecret import Rewrite, RewriteMerge, RewriteRegexp, RewriteTransform
from plumbline.secrets.external.shaping import gojson
from plumbline.secrets.external.shaping.functions import functions
from plumbline.secrets.external.shaping.keys import Values, renamed

_LONGEST: Final = 4_096
"""Letters of one name, also of those on the way."""
_MOST_LETTERS: Final = 1_000_000
"""Of all names, over all operations: each is read anew by each of them."""
_STEPS: Final = 20_000
_ALL_STEPS: Final = 2_000_000
"""Of one template for one name, and of all of one list of operations together."""
_REFERENCE: Final = re.compile(r"\$(?:\$|\{(\w+)\}|(\w+))")
_LARGEST_GROUP: Final = 8


def rewritten(values: Values, operations: Sequence[Rewrite], surroundings: Surroundings) -> dict[str, Plaintext]:
    """*values* after *operations*, one after the other. Raises InvalidInput with the number of the one that failed."""
    out, letters = dict(values), 0
    transforms = sum(each.transform is not None for each in operations)
    for number, operation in enumerate(operations):
        what = f"error applying rewrite to keys: failed rewrite operation[{number}]"
        letters += sum(map(len, out))
        if letters > _MOST_LETTERS:
            raise LimitExceeded(what, why=f"the names have more than {_MOST_LETTERS:,} letters over all operations")
        if operation.merge is not None:
            out = _merged(out, operation.merge, what)
        elif operation.regexp is not None:
            out = _replaced(out, operation.regexp, what)
        elif operation.transform is not None:
            bounds = Bounds(min(_STEPS, _ALL_STEPS // max(len(out) * transforms, 1)), _LONGEST, 16 * _LONGEST)
            out = _transformed(out, operation.transform, surroundings, what, bounds)
    return out


def _replaced(values: Values, operation: RewriteRegexp, what: str) -> dict[str, Plaintext]:
    try:
        pattern = capturing(operation.source)
    except BadExpression as fault:
        raise InvalidInput(what, why=f"regexp failed with failed to compile: {fault}") from fault
    try:
        return renamed(values, lambda key: replaced(pattern, key, operation.target), what=what)
    except LimitExceeded as fault:
        raise LimitExceeded(what, why=fault.what) from None


def replaced(pattern: Captures, text: str, replacement: str) -> str:
    """As Go's `ReplaceAllString`: `$1`, `$name` and `${name}` stand for what groups matched.

    Raises LimitExceeded before it reads or makes a name longer than any on its way to a key.
    """
    parts: list[str] = []
    left = _LONGEST
    for part in _parts(pattern, text, replacement) if len(text) <= _LONGEST else (text,):
        left -= len(part)
        if left < 0:
            raise LimitExceeded(f"a name becomes longer than {_LONGEST:,} letters")
        parts.append(part)
    return "".join(parts)


def _parts(pattern: Captures, text: str, replacement: str) -> Iterator[str]:
    done = 0
    for places in pattern.find_all(text):
        yield text[done : places[0]]
        yield from _expanded(replacement, pattern, places, text)
        done = places[1]
    yield text[done:]


def _expanded(replacement: str, pattern: Captures, places: tuple[int, ...], text: str) -> Iterator[str]:
    done = 0
    for reference in _REFERENCE.finditer(replacement):
        yield replacement[done : reference.start()]
        yield _meant(reference, pattern, places, text)
        done = reference.end()
    yield replacement[done:]


def _meant(reference: re.Match[str], pattern: Captures, places: tuple[int, ...], text: str) -> str:
    if reference[0] == "$$":
        return "$"
    number = _group(reference[1] or reference[2], pattern)
    if not 0 <= number <= pattern.count or places[2 * number] < 0:
        return ""
    return text[places[2 * number] : places[2 * number + 1]]


def _group(name: str, pattern: Captures) -> int:
    """A number with a leading zero is a name."""
    numeric = name.isascii() and name.isdecimal() and len(name) <= _LARGEST_GROUP
    if numeric and (name == "0" or name[0] != "0"):
        return int(name)
    return pattern.names.get(name, -1)


def _transformed(
    values: Values, operation: RewriteTransform, surroundings: Surroundings, what: str, bounds: Bounds
) -> dict[str, Plaintext]:
    try:
        template = Template("transform", operation.template, functions(surroundings))
    except BadExpression as fault:
        raise InvalidInput(what, why=f"transform failed with failed to parse template: {fault}") from fault

    def name(key: str) -> str:
        try:
            return template.execute(StringMap(value=key), bounds)
        except EvaluationFailed as fault:
            raise InvalidInput(
                what, why=f'transform failed with failed to execute template for key "{key}": {fault}'
            ) from fault

    return renamed(values, name, what=what)


def _merged(values: Values, operation: RewriteMerge, what: str) -> dict[str, Plaintext]:
    merged, conflicts = _union(values, operation, what)
    if conflicts and operation.conflict_policy != "Ignore":
        raise InvalidInput(
            what,
            why=f"merge failed with conflicts: {', '.join(conflicts)}",
            hint="Set `conflictPolicy: Ignore` and say with `priority` which secrets win.",
        )
    if operation.strategy != "JSON":
        return {key: Plaintext(gojson.as_bytes(value)) for key, value in merged.items()}
    if not operation.into:
        raise InvalidInput(what, why="merge failed with missing 'into' field")
    return {**values, operation.into: Plaintext(gojson.written(merged, html=False))}


def _union(values: Values, operation: RewriteMerge, what: str) -> tuple[JsonObject, list[str]]:
    """All objects in one, later ones over earlier ones, and the keys that were there before."""
    merged: JsonObject = {}
    conflicts: list[str] = []
    for key in (*sorted(set(values) - set(operation.priority)), *operation.priority):
        if key not in values:
            if operation.priority_policy == "IgnoreNotFound":
                continue
            raise InvalidInput(
                what,
                why=f'merge failed with key "{key}" not found in input map',
                hint="Set `priorityPolicy: IgnoreNotFound` where it may be missing.",
            )
        entries = gojson.read_object(values[key].reveal())
        if entries is None:
            raise InvalidInput(what, why=f'merge failed with failed to unmarshal JSON: "{key}" is no JSON object')
        conflicts += sorted(entries.keys() & merged.keys())
        merged |= entries
    return merged, conflicts
