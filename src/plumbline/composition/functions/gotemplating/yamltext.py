"""YAML as `toYaml` prints it: four spaces, lists indented, nothing folded. Pure.

That is go-yaml's third version; manifests and everything of kubectl's use the second, which `base.documents` writes.
Templates put this text into fields, so it has to be the same to the letter.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final

from plumbline.base.documents.scalars import looks_like_time, resolve
from plumbline.gotemplate.values import Failed, Typed, Value

_INDENT: Final = 4
_ITEM: Final = 2
_PLAIN_POWERS: Final = range(-4, 6)
_BASE_60: Final = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
_INDICATOR: Final = re.compile(r"[#,\[\]{}&*!|>'\"%@`]|[?:-](?=\s|\Z)|---|\.\.\.")
_INNER_INDICATOR: Final = re.compile(r":(?=\s|\Z)|(?<=\s)#")
_SPACE_THEN_BREAK: Final = re.compile(r" \n")
_UNPRINTABLE: Final = re.compile("[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]")
"""What go-yaml escapes; it does so with everything beyond the first plane."""
_RARE_BREAKS: Final = ("\u2028", "\u2029")
_DIGITS: Final = re.compile(r"([0-9]+)")
_ESCAPES: Final = {
    "\0": "\\0", "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
    "\x1b": "\\e", '"': '\\"', "\\": "\\\\", "\x85": "\\N", "\xa0": "\\_", "\u2028": "\\L", "\u2029": "\\P",
}  # fmt: skip


def dumped(value: Value) -> str:
    """Raises Failed for what is no JSON."""
    if isinstance(value, dict | list | tuple) and value:
        return "".join(_block(value, 0)).lstrip("\n") + "\n"
    return _inline(value, _INDENT) + "\n"


def _block(value: Value, indent: int) -> Iterator[str]:
    """The lines of a collection, each with the break before it."""
    margin = "\n" + " " * indent
    if isinstance(value, dict):
        for key in _in_order(value):
            yield f"{margin}{_scalar(key, 0, key=True)}:"
            yield from _under_key(value[key], indent)
        return
    for item in value:
        yield f"{margin}-"
        if isinstance(item, dict | list | tuple) and item:
            nested = "".join(_block(item, indent + _ITEM))
            yield " " + nested[indent + _ITEM + 1 :]
        else:
            yield " " + _inline(item, indent + _ITEM)


def _under_key(value: Value, indent: int) -> Iterator[str]:
    inner = _INDENT * ((indent + _INDENT) // _INDENT)
    if isinstance(value, dict | list | tuple) and value:
        yield from _block(value, inner)
    else:
        yield " " + _inline(value, inner)


def _inline(value: Value, indent: int) -> str:
    if isinstance(value, str):
        return _scalar(value, indent)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    if isinstance(value, Typed) or not isinstance(value, int | float):
        raise Failed(f"cannot marshal type: {getattr(value, 'type_name', type(value).__name__)}")
    return _float(value) if isinstance(value, float) else str(int(value))


def _scalar(text: str, indent: int, *, key: bool = False) -> str:
    if "\n" in text:
        return _double(text) if key or not _literal_allowed(text) else _literal(text, indent)
    if not _means_text(text):
        return _double(text)
    if _plain_allowed(text):
        return text
    return _double(text) if _UNPRINTABLE.search(text) else "'" + text.replace("'", "''") + "'"


def _means_text(text: str) -> bool:
    """Whether it would be read as text if it stood there without quotes."""
    return bool(text) and resolve(text) == text and not looks_like_time(text) and not _BASE_60.match(text)


def _plain_allowed(text: str) -> bool:
    if text[0] == " " or text[-1] == " " or _INDICATOR.match(text) or _UNPRINTABLE.search(text):
        return False
    return not _INNER_INDICATOR.search(text) and not any(each in text for each in _RARE_BREAKS)


def _literal_allowed(text: str) -> bool:
    special = _UNPRINTABLE.search(text.replace("\t", ""))
    return not (special or text.endswith(" ") or _SPACE_THEN_BREAK.search(text))


def _literal(text: str, indent: int) -> str:
    hint = str(_INDENT) if text[0] in " \n" else ""
    # A line break at the very beginning is lost in go-yaml, which takes it for the one after the header.
    body = text.removeprefix("\n").removesuffix("\n")
    chomping = "-" if not text.endswith("\n") else "+" if text.endswith("\n\n") or text == "\n" else ""
    margin = " " * indent
    lines = [f"{margin}{line}" if line else "" for line in body.split("\n")] if text != "\n" else []
    return "\n".join((f"|{hint}{chomping}", *lines))


def _double(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if not _UNPRINTABLE.match(char):
        return char
    point = ord(char)
    if point <= 0xFF:  # noqa: PLR2004 - two digits
        return f"\\x{point:02X}"
    return f"\\u{point:04X}" if point <= 0xFFFF else f"\\U{point:08X}"  # noqa: PLR2004 - four digits


def _float(value: float) -> str:
    if value != value or abs(value) == float("inf"):  # noqa: PLR0124 - that is what NaN is
        return ".nan" if value != value else ".inf" if value > 0 else "-.inf"  # noqa: PLR0124 - same
    mantissa, _, exponent = f"{Decimal(repr(value)):e}".partition("e")
    power = int(exponent)
    if power in _PLAIN_POWERS:
        whole = f"{Decimal(repr(value)):f}"
        return whole.rstrip("0").rstrip(".") if "." in whole else whole
    figures = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{figures}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _in_order(mapping: Mapping[str, Value]) -> list[str]:
    """Letters after everything else, but before it behind digits; runs of digits by the number that they are."""
    return sorted(mapping, key=_rank)


def _rank(key: str) -> list[tuple[int, int, str]]:
    ranks: list[tuple[int, int, str]] = []
    for at, part in enumerate(_DIGITS.split(key)):
        if at % 2:
            ranks.append((0, int(part[:18]), part))
        else:
            behind_digits = at > 0
            ranks.extend(
                (int(char.isalpha() != (behind_digits and not index)), -1, char) for index, char in enumerate(part)
            )
    return ranks
