"""Strings."""

import re
from collections.abc import Mapping
from typing import Final

from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.printing import printed
from plumbline.gotemplate.quoting import quoted
from plumbline.gotemplate.sprig.casing import camel_case, kebab_case, snake_case
from plumbline.gotemplate.sprig.conversions import text, texts
from plumbline.gotemplate.values import Failed, Function, Invalid, StringMap, Strings, Value, cut, function, size

_SPACE: Final = " \t\n\v\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_first_letter: Final = re.compile(r"(?<![^\W])[^\W\d_]")
_word: Final = re.compile(r"\S+")
_ELLIPSIS: Final = "..."
_SHORTEST: Final = 4
_SHORTEST_BOTH: Final = 7


def _abbreviated(offset: int, width: int, value: str) -> str:
    """*value* in *width* bytes, from near *offset* on."""
    length = size(value)
    if length <= width:
        return value
    offset = min(offset, length)
    if length - offset < width - 3:
        offset = length - (width - 3)
    if offset <= _SHORTEST:
        return cut(value, 0, width - 3) + _ELLIPSIS
    if width < _SHORTEST_BOTH:
        return ""
    if offset + width - 3 < length:
        return _ELLIPSIS + _abbreviated(0, width - 3, cut(value, offset, length))
    return _ELLIPSIS + cut(value, length - (width - 3), length)


def _abbrev(width: int, value: str) -> str:
    return value if width < _SHORTEST else _abbreviated(0, width, value)


def _abbrev_both(left: int, right: int, value: str) -> str:
    if right < _SHORTEST or (left > 0 and right < _SHORTEST_BOTH):
        return value
    return _abbreviated(left, right, value)


def _trunc(count: int, value: str) -> str:
    length = size(value)
    if count < 0 and length + count > 0:
        return cut(value, length + count, length)
    return cut(value, 0, count) if 0 <= count < length else value


def _substring(begin: int, end: int, value: str) -> str:
    length = size(value)
    first = max(begin, 0)
    last = length if begin >= 0 and (end < 0 or end > length) else end
    if not 0 <= first <= last <= length:
        raise Failed(f"runtime error: slice bounds out of range [{first}:{last}] with length {length}")
    return cut(value, first, last)


@budgeted
def _repeat(budget: Budget, count: int, value: str) -> str:
    if count < 0:
        raise Failed("strings: negative Repeat count")
    budget.hold(count * len(value))
    return value * count


@budgeted
def _indent(budget: Budget, spaces: int, value: str) -> str:
    if spaces < 0:
        raise Failed("strings: negative Repeat count")
    budget.hold(len(value) + spaces * (value.count("\n") + 1))
    pad = " " * spaces
    return pad + value.replace("\n", "\n" + pad)


@budgeted
def _indent_below(budget: Budget, spaces: int, value: str) -> str:
    return "\n" + str(_indent(budget, spaces, value))


@budgeted
def _replace(budget: Budget, old: str, new: str, value: str) -> str:
    budget.hold(len(value) + (value.count(old) if old else len(value) + 1) * len(new))
    return value.replace(old, new)


def _present(values: tuple[Value, ...]) -> list[Value]:
    return [each for each in values if each is not None and not isinstance(each, Invalid)]


@budgeted
def _quote(budget: Budget, *values: Value) -> str:
    return " ".join(quoted(text(each, budget)) for each in _present(values))


@budgeted
def _single_quote(budget: Budget, *values: Value) -> str:
    return " ".join(f"'{printed(each, budget)}'" for each in _present(values))


@budgeted
def _cat(budget: Budget, *values: Value) -> str:
    return " ".join(printed(each, budget) for each in _present(values))


def _title(value: str) -> str:
    return _first_letter.sub(lambda found: found[0].upper(), value)


def _swap_case(value: str) -> str:
    return "".join(char.lower() if char.isupper() else char.upper() if char.islower() else char for char in value)


def _initials(value: str) -> str:
    return "".join(word[0] for word in value.split())


def _wrapped(width: int, separator: str, value: str, *, breaks: bool = True) -> str:
    """In lines of *width*; a longer word is cut if it *breaks*, else a line of its own."""
    width, separator = max(width, 1), separator or "\n"
    lines: list[str] = []
    offset = 0
    while len(value) - offset > width:
        if value[offset] == " ":
            offset += 1
            continue
        space = value.rfind(" ", offset, offset + width + 1)
        if space < 0 and not breaks:
            space = value.find(" ", offset + width)
            if space < 0:
                break
        end = space if space >= 0 else offset + width
        lines.append(value[offset:end])
        offset = end + (space >= 0)
    return separator.join([*lines, value[offset:]])


def _split(separator: str, value: str, count: int = -1) -> list[str]:
    if count == 0:
        return []
    if separator:
        return value.split(separator, count - 1 if count > 0 else -1)
    chars = list(value)
    return chars if count < 0 or len(chars) <= count else [*chars[: count - 1], "".join(chars[count - 1 :])]


def _numbered(parts: list[str]) -> StringMap:
    return StringMap({f"_{at}": part for at, part in enumerate(parts)})


@budgeted
def _join(budget: Budget, separator: str, value: Value) -> str:
    parts = texts(value, budget)
    budget.hold(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)


@budgeted
def _sorted(budget: Budget, value: Value) -> Strings:
    return Strings(sorted(texts(value, budget), key=lambda each: each.encode(errors="surrogateescape")))


def _lower_first(value: str) -> str:
    return _word.sub(lambda found: found[0][:1].lower() + found[0][1:], value)


@budgeted
def _nothing_but(budget: Budget, value: Value) -> str:
    return text(value, budget)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "abbrev": function("int string", _abbrev),
    "abbrevboth": function("int int string", _abbrev_both),
    "camelcase": function("string", camel_case),
    "cat": function("...any", _cat),
    "contains": function("string string", lambda part, value: part in value),
    "hasPrefix": function("string string", lambda part, value: value.startswith(part)),
    "hasSuffix": function("string string", lambda part, value: value.endswith(part)),
    "hello": function("", lambda: "Hello!"),
    "indent": function("int string", _indent),
    "initials": function("string", _initials),
    "join": function("string any", _join),
    "kebabcase": function("string", kebab_case),
    "lower": function("string", str.lower),
    "nindent": function("int string", _indent_below),
    "nospace": function("string", lambda value: "".join(char for char in value if char not in _SPACE)),
    "plural": function("string string int", lambda one, many, count: one if count == 1 else many),
    "quote": function("...any", _quote),
    "repeat": function("int string", _repeat),
    "replace": function("string string string", _replace),
    "snakecase": function("string", snake_case),
    "sortAlpha": function("any", _sorted),
    "split": function("string string", lambda separator, value: _numbered(_split(separator, value))),
    "splitList": function("string string", lambda separator, value: Strings(_split(separator, value))),
    "splitn": function("string int string", lambda separator, count, value: _numbered(_split(separator, value, count))),
    "squote": function("...any", _single_quote),
    "substr": function("int int string", _substring),
    "swapcase": function("string", _swap_case),
    "title": function("string", _title),
    "toString": function("any", _nothing_but),
    "toStrings": function("any", budgeted(lambda budget, value: texts(value, budget))),
    "trim": function("string", lambda value: value.strip(_SPACE)),
    "trimAll": function("string string", lambda chars, value: value.strip(chars) if chars else value),
    "trimPrefix": function("string string", lambda part, value: value.removeprefix(part)),
    "trimSuffix": function("string string", lambda part, value: value.removesuffix(part)),
    "trimall": function("string string", lambda chars, value: value.strip(chars) if chars else value),
    "trunc": function("int string", _trunc),
    "untitle": function("string", _lower_first),
    "upper": function("string", str.upper),
    "wrap": function("int string", lambda width, value: _wrapped(width, "\n", value, breaks=False)),
    "wrapWith": function("int string string", _wrapped),
}
