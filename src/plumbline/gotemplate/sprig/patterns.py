"""Regular expressions, matched in linear time."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from plumbline.base.errors import BadExpression
from plumbline.base.regex import Captures, Regex, capturing, compiled
from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.quoting import quoted
from plumbline.gotemplate.values import Failed, Function, Strings, Value, function

_reference: Final = re.compile(r"\$(?:\$|\{(\w+)\}|(\w+))")
_meta: Final = re.compile(r"[\\.+*?()|\[\]{}^$]")


def _read(pattern: str, *, strict: bool = False) -> Regex:
    """What must not be wrong is complained about otherwise than what was thought right."""
    try:
        return compiled(pattern)
    except BadExpression as fault:
        raise Failed(str(fault) if strict else f"regexp: Compile({_shown(pattern)}): {fault}") from fault


def _shown(pattern: str) -> str:
    return quoted(pattern) if "`" in pattern or not pattern.isprintable() else f"`{pattern}`"


def _groups(budget: Budget, pattern: str, text: str) -> tuple[Captures, list[tuple[int, ...]]]:
    """Where it matches, from left to right and without overlaps."""
    _read(pattern)
    regex = capturing(pattern)
    found = []
    for places in regex.find_all(text):
        budget.step(1 + (places[1] >> 4))
        found.append(places)
    budget.step(len(text) >> 2)
    return regex, found


def _spans(budget: Budget, pattern: str, text: str) -> list[tuple[int, int]]:
    return [(places[0], places[1]) for places in _groups(budget, pattern, text)[1]]


@budgeted
def _find(budget: Budget, pattern: str, text: str) -> str:
    spans = _spans(budget, pattern, text)
    return text[slice(*spans[0])] if spans else ""


@budgeted
def _find_all(budget: Budget, pattern: str, text: str, most: int) -> Strings:
    spans = _spans(budget, pattern, text)
    return Strings(text[begin:end] for begin, end in (spans if most < 0 else spans[:most]))


def _replaced(budget: Budget, pattern: str, text: str, by: Callable[[Captures, tuple[int, ...]], str]) -> str:
    parts: list[str] = []
    done = 0
    regex, found = _groups(budget, pattern, text)
    for places in found:
        parts += (text[done : places[0]], by(regex, places))
        done = places[1]
    budget.hold(sum(map(len, parts)))
    return "".join([*parts, text[done:]])


@budgeted
def _replace_all(budget: Budget, pattern: str, text: str, replacement: str) -> str:
    return _replaced(budget, pattern, text, lambda regex, places: _expanded(replacement, regex, places, text))


def _expanded(replacement: str, regex: Captures, places: tuple[int, ...], text: str) -> str:
    def meant(reference: re.Match[str]) -> str:
        if reference[0] == "$$":
            return "$"
        name = reference[1] or reference[2]
        number = int(name) if name.isdecimal() else regex.names.get(name, -1)
        if not 0 <= number <= regex.count or places[2 * number] < 0:
            return ""
        return text[places[2 * number] : places[2 * number + 1]]

    return _reference.sub(meant, replacement)


@budgeted
def _replace_all_literal(budget: Budget, pattern: str, text: str, replacement: str) -> str:
    return _replaced(budget, pattern, text, lambda _regex, _places: replacement)


@budgeted
def _split(budget: Budget, pattern: str, text: str, most: int) -> Strings:
    if most == 0:
        return Strings()
    if pattern and not text:
        return Strings([""])
    parts, done, end = Strings(), 0, 0
    for begin, after in _spans(budget, pattern, text):
        if 0 < most <= len(parts) + 1:
            break
        end = begin
        if after:
            parts.append(text[done:begin])
        done = after
    if end != len(text):
        parts.append(text[done:])
    return parts


def _matches(pattern: str, text: str) -> bool:
    try:
        return compiled(pattern).matches(text)
    except BadExpression:
        return False


_PAIRS: Final[Mapping[str, tuple[str, Callable[..., Value]]]] = {
    "regexFind": ("string string", _find),
    "regexFindAll": ("string string int", _find_all),
    "regexReplaceAll": ("string string string", _replace_all),
    "regexReplaceAllLiteral": ("string string string", _replace_all_literal),
    "regexSplit": ("string string int", _split),
}

FUNCTIONS: Final[Mapping[str, Function]] = {
    **{name: function(*made) for name, made in _PAIRS.items()},
    **{f"must{name[0].upper()}{name[1:]}": function(*made) for name, made in _PAIRS.items()},
    "mustRegexMatch": function("string string", lambda pattern, text: _read(pattern, strict=True).matches(text)),
    "regexMatch": function("string string", _matches),
    "regexQuoteMeta": function("string", lambda text: _meta.sub(lambda found: f"\\{found[0]}", text)),
}
