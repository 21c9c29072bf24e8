r"""The parts of patterns that stand for one character: escapes, `\pL`, and classes in brackets."""

from typing import Final

from plumbline.base.regex.charsets import PERL, POSIX, CharSet, Part, Range, category_of
from plumbline.base.regex.cursor import Cursor, refused

_CONTROLS: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_OCTAL: Final = frozenset("01234567")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_LAST_POINT: Final = 0x10FFFF


def read_escape(cursor: Cursor) -> str:
    """The one character that an escape at the cursor stands for."""
    start = cursor.at
    cursor.at += 1
    if not cursor.more():
        raise refused("trailing backslash at end of expression", "")
    char = cursor.take()
    if char in _CONTROLS:
        return _CONTROLS[char]
    if char == "0" or (char in _OCTAL and cursor.peek() and cursor.peek() in _OCTAL):
        digits = char
        while len(digits) < 3 and cursor.peek() in _OCTAL and cursor.more():  # noqa: PLR2004 - up to \377 and beyond
            digits += cursor.take()
        return chr(int(digits, 8))
    if char == "x":
        digits = _hex_digits(cursor)
        if digits and set(digits) <= _HEX and int(digits, 16) <= _LAST_POINT:
            return chr(int(digits, 16))
    elif char.isascii() and not char.isalnum():
        return char
    raise refused("invalid escape sequence", cursor.text[start : cursor.at])


def _hex_digits(cursor: Cursor) -> str:
    r"""Two digits, or those in braces; what follows `\x` if it is neither."""
    if cursor.peek() != "{":
        digits = cursor.take() + cursor.take()
        return digits if len(digits) == 2 else ""  # noqa: PLR2004 - \x7f
    cursor.at += 1
    digits = ""
    while cursor.more():
        char = cursor.take()
        if char == "}":
            return digits
        digits += char
        if char not in _HEX or int(digits, 16) > _LAST_POINT:
            break
    return ""


def read_category(cursor: Cursor) -> Part:
    r"""`\pL`, `\p{Lu}`, `\P{^Lu}`."""
    start = cursor.at
    negated = cursor.text[start + 1] == "P"
    cursor.at += 2
    name = cursor.take()
    if name == "{":
        end = cursor.text.find("}", cursor.at)
        if end < 0:
            raise refused("invalid character class range", cursor.text[start:])
        name, cursor.at = cursor.text[cursor.at : end], end + 1
    if name.startswith("^"):
        negated, name = not negated, name[1:]
    category = category_of(name)
    if category is None:
        raise refused("invalid character class range", cursor.text[start : cursor.at])
    return Part(category=category, negated=negated)


def read_class(cursor: Cursor, *, fold: bool) -> CharSet:
    """A class in brackets."""
    start = cursor.at
    cursor.at += 1
    negated = cursor.peek() == "^"
    cursor.at += negated
    parts: list[Part] = []
    ranges: list[Range] = []
    first = True
    while cursor.peek() != "]" or first:
        first = False
        part = _read_named(cursor)
        if part is not None:
            parts.append(part)
        else:
            ranges.append(_read_range(cursor, start))
    cursor.at += 1
    if ranges:
        parts.append(Part(tuple(ranges)))
    return CharSet(tuple(parts), negated, fold)


def _read_named(cursor: Cursor) -> Part | None:
    rest = cursor.rest()
    if rest.startswith("[:"):
        end = rest.find(":]", 2)
        if end >= 0:
            name = rest[2:end]
            negated = name.startswith("^")
            ranges = POSIX.get(name[negated:])
            if ranges is None:
                raise refused("invalid character class range", rest[: end + 2])
            cursor.at += end + 2
            return Part(ranges, negated=negated)
    if rest.startswith((r"\p", r"\P")):
        return read_category(cursor)
    if rest.startswith("\\") and rest[1:2].lower() in PERL:
        cursor.at += 2
        return Part(PERL[rest[1].lower()], negated=rest[1].isupper())
    return None


def _read_range(cursor: Cursor, class_start: int) -> Range:
    start = cursor.at
    low = _read_char(cursor, class_start)
    following = cursor.text[cursor.at : cursor.at + 2]
    if len(following) < 2 or following[0] != "-" or following[1] == "]":  # noqa: PLR2004 - a dash and what it leads to
        return low, low
    cursor.at += 1
    high = _read_char(cursor, class_start)
    if high < low:
        raise refused("invalid character class range", cursor.text[start : cursor.at])
    return low, high


def _read_char(cursor: Cursor, class_start: int) -> str:
    if not cursor.more():
        raise refused("missing closing ]", cursor.text[class_start:])
    return read_escape(cursor) if cursor.peek() == "\\" else cursor.take()
