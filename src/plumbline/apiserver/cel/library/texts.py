"""Functions of strings: those of the language, those of its strings extension, and regular expressions."""

from math import ceil
from typing import Final

from plumbline.apiserver.cel.functions import (
    Declared,
    effort,
    of_regex,
    of_search,
    of_text,
    of_text_twice,
    of_traversal,
)
from plumbline.apiserver.cel.library.formatting import formatted
from plumbline.apiserver.cel.values import Value
from plumbline.base.errors import BadExpression, EvaluationFailed
from plumbline.base.regex import Regex, compiled

_TRAVERSAL: Final = 0.1
_FREE_TEXT: Final = 4_096
_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_QUOTES: Final = str.maketrans(
    {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v", "\\": r"\\", '"': r"\""}
)
_UPPER: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER: Final = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def _outside(index: int) -> EvaluationFailed:
    return EvaluationFailed(f"index out of range: {index}")


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise _outside(index)
    return text[index : index + 1]


def _index_of(text: str, part: str, offset: int = 0) -> int:
    if not part:
        return offset
    if offset < 0:
        raise _outside(offset)
    return text.find(part, offset)


def _last_index_of(text: str, part: str) -> int:
    return len(text) if not part else text.rfind(part)


def _last_index_from(text: str, part: str, offset: int) -> int:
    if not part:
        return offset
    if offset < 0:
        raise _outside(offset)
    return -1 if offset >= len(text) else text.rfind(part, 0, offset + len(part))


def _replaced(text: str, old: str, new: str, times: int = -1) -> str:
    return text.replace(old, new, times if times >= 0 else -1)


def _split(text: str, separator: str, most: int = -1) -> list[str]:
    if most == 0:
        return []
    if separator:
        return text.split(separator, most - 1 if most > 0 else -1)
    return list(text) if most < 0 or most >= len(text) else [*text[: most - 1], text[most - 1 :]]


def _substring(text: str, start: int) -> str:
    if not 0 <= start <= len(text):
        raise _outside(start)
    return text[start:]


def _substring_range(text: str, start: int, end: int) -> str:
    if start > end:
        raise EvaluationFailed(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise _outside(index)
    return text[start:end]


def _joined(items: list[str], separator: str = "") -> str:
    for each in items:
        if not isinstance(each, str):
            raise EvaluationFailed(f"join: invalid input: {each}")
    return separator.join(items)


def _of_joining(args: tuple[Value, ...]) -> int:
    items, separator = args[0], args[1] if len(args) > 1 else ""
    size = sum(len(each) for each in items if isinstance(each, str)) + len(separator) * max(len(items) - 1, 0)
    return ceil(size * 2 * _TRAVERSAL) + effort(items)


def _of_formatting(args: tuple[Value, ...]) -> int:
    return of_text(args) + effort(args[1])


def _of_replacing(args: tuple[Value, ...]) -> int:
    """Also of what the result takes where that is much more than the text."""
    text, old, new = args[:3]
    times = text.count(old) if old else len(text) + 1
    return of_text_twice(args) + times * len(new) // _FREE_TEXT


def _regex(pattern: str) -> Regex:
    try:
        return compiled(pattern)
    except BadExpression as bad:
        raise EvaluationFailed(bad.what) from None


def _found(text: str, pattern: str) -> str:
    span = _known_regex(pattern).find(text)
    return text[span[0] : span[1]] if span else ""


def _known_regex(pattern: str) -> Regex:
    try:
        return compiled(pattern)
    except BadExpression as bad:
        raise EvaluationFailed(f"Illegal regex: {bad.what}") from None


TEXTS: Final[tuple[Declared, ...]] = (
    ("contains", "string.(string) -> bool", lambda text, part: part in text, of_search),
    ("endsWith", "string.(string) -> bool", str.endswith, of_text),
    ("startsWith", "string.(string) -> bool", str.startswith, of_text),
    ("matches", "string.(string) -> bool", lambda text, pattern: _regex(pattern).matches(text), of_regex),
    ("matches", "(string, string) -> bool", lambda text, pattern: _regex(pattern).matches(text), of_regex),
    ("charAt", "string.(int) -> string", _char_at, None),
    ("format", "string.(list(dyn)) -> string", formatted, _of_formatting),
    ("indexOf", "string.(string) -> int", _index_of, of_traversal),
    ("indexOf", "string.(string, int) -> int", _index_of, of_traversal),
    ("join", "list(string).() -> string", _joined, _of_joining),
    ("join", "list(string).(string) -> string", _joined, _of_joining),
    ("lastIndexOf", "string.(string) -> int", _last_index_of, of_traversal),
    ("lastIndexOf", "string.(string, int) -> int", _last_index_from, of_traversal),
    ("lowerAscii", "string.() -> string", lambda text: text.translate(_LOWER), of_text),
    ("replace", "string.(string, string) -> string", _replaced, _of_replacing),
    ("replace", "string.(string, string, int) -> string", _replaced, _of_replacing),
    ("split", "string.(string) -> list(string)", _split, of_text_twice),
    ("split", "string.(string, int) -> list(string)", _split, of_text_twice),
    ("strings.quote", "(string) -> string", lambda text: f'"{text.translate(_QUOTES)}"', of_text),
    ("substring", "string.(int) -> string", _substring, of_text),
    ("substring", "string.(int, int) -> string", _substring_range, of_text),
    ("trim", "string.() -> string", lambda text: text.strip(_SPACE), of_text),
    ("upperAscii", "string.() -> string", lambda text: text.translate(_UPPER), of_text),
    ("find", "string.(string) -> string", _found, of_regex),
    (
        "findAll",
        "string.(string) -> list(string)",
        lambda text, pattern: _known_regex(pattern).find_all(text),
        of_regex,
    ),
    (
        "findAll",
        "string.(string, int) -> list(string)",
        lambda text, pattern, most: _known_regex(pattern).find_all(text, most),
        of_regex,
    ),
)
