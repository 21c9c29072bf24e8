"""`'%d of %s'.format([1, 'x'])`."""

import math
import re
from collections.abc import Callable
from typing import Final

from plumbline.apiserver.cel.floats import number_text
from plumbline.apiserver.cel.times import Duration, Timestamp, duration_text, timestamp_text
from plumbline.apiserver.cel.types import Type
from plumbline.apiserver.cel.values import Uint, Value, type_name
from plumbline.base.errors import EvaluationFailed
from plumbline.kube.gotext import quoted

CLAUSE: Final = re.compile(r"%(?:(%)|(?:\.([0-9]+))?(.?))", re.DOTALL)
_PRECISION: Final = 6
_MOST_PRECISION: Final = 1000
STRING_CLAUSE: Final = (
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
    "timestamps, was given {}"
)
FAULTS: Final = {
    "s": STRING_CLAUSE,
    "d": "decimal clause can only be used on integers, was given {}",
    "f": "fixed-point clause can only be used on doubles, was given {}",
    "e": "scientific clause can only be used on doubles, was given {}",
    "b": "only integers and bools can be formatted as binary, was given {}",
    "x": "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    "X": "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    "o": "octal clause can only be used on integers, was given {}",
}


def formatted(template: str, args: list[Value]) -> str:
    parts: list[str] = []
    at = used = 0
    for clause in CLAUSE.finditer(template):
        parts.append(template[at : clause.start()])
        at = clause.end()
        if clause[1]:
            parts.append("%")
            continue
        if used >= len(args):
            raise EvaluationFailed(f"index {used} out of range")
        parts.append(_clause(clause[3], clause[2], args[used]))
        used += 1
    return "".join([*parts, template[at:]])


def _clause(letter: str, precision: str | None, value: Value) -> str:
    if not letter:
        raise EvaluationFailed("unexpected end of string")
    write = _WRITERS.get(letter)
    if write is None:
        raise EvaluationFailed(f"could not parse formatting clause: unrecognized formatting clause {quoted(letter)}")
    digits = int(precision[:5]) if precision else _PRECISION
    if digits > _MOST_PRECISION:
        raise EvaluationFailed(f"could not parse formatting clause: error while parsing precision: {precision}")
    return write(value, digits, letter)


def _failed(letter: str, value: Value) -> EvaluationFailed:
    return EvaluationFailed("error during formatting: " + FAULTS[letter].format(type_name(value)))


def _text(value: Value, _digits: int, letter: str) -> str:
    written = text_of(value)
    if written is None:
        raise _failed(letter, value)
    return written


def text_of(value: Value) -> str | None:
    """What `%s` writes; None for what it cannot."""
    write = _TEXTS.get(type(value))
    if write is not None:
        return write(value)
    return _collection(value)


_TEXTS: Final[dict[type, Callable[[Value], str]]] = {
    type(None): lambda _value: "null",
    bool: lambda value: "true" if value else "false",
    int: str,
    Uint: lambda value: str(int(value)),
    float: number_text,
    str: str,
    bytes: lambda value: value.decode(errors="replace"),
    Timestamp: timestamp_text,
    Duration: duration_text,
    Type: str,
}


def _collection(value: Value) -> str | None:
    if isinstance(value, list):
        return "[" + ", ".join(_inside(each) for each in value) + "]"
    if isinstance(value, dict):
        entries = sorted((_inside(key), _inside(each)) for key, each in value.items())
        return "{" + ", ".join(f"{key}:{each}" for key, each in entries) + "}"
    return None


def _inside(value: Value) -> str:
    """A value within a list or map."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bytes):
        return "b" + quoted(value.decode(errors="replace"))
    if isinstance(value, Timestamp):
        return f"timestamp({quoted(timestamp_text(value))})"
    if isinstance(value, Duration):
        return f"duration({quoted(duration_text(value))})"
    if isinstance(value, float):
        return f"{value:.{_PRECISION}f}" if math.isfinite(value) else quoted(str(value))
    written = text_of(value)
    if written is None:
        raise EvaluationFailed(f"error during formatting: no formatting function for {type_name(value)}")
    return written


def _decimal(value: Value, _digits: int, letter: str) -> str:
    if type(value) is int or type(value) is Uint:
        return str(int(value))
    raise _failed(letter, value)


def _fixed(value: Value, digits: int, letter: str) -> str:
    number = _double(value, letter)
    return f"{number:,.{digits}f}" if math.isfinite(number) else _not_finite(number)


def _scientific(value: Value, digits: int, letter: str) -> str:
    number = _double(value, letter)
    if not math.isfinite(number):
        return _not_finite(number)
    mantissa, _, exponent = f"{number:.{digits}e}".partition("e")
    return f"{mantissa}\u00d710{_superscript(int(exponent))}"


def _superscript(exponent: int) -> str:
    raised = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
    return f"{exponent:03d}".translate(raised) if exponent < 0 else f"{exponent:02d}".translate(raised)


def _double(value: Value, letter: str) -> float:
    if isinstance(value, float):
        return value
    if value in {"NaN", "Infinity", "-Infinity"} and isinstance(value, str):
        return float(value.replace("Infinity", "inf"))
    raise _failed(letter, value)


def _not_finite(number: float) -> str:
    return "NaN" if math.isnan(number) else "\u221e" if number > 0 else "-\u221e"


def _binary(value: Value, _digits: int, letter: str) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if type(value) is int or type(value) is Uint:
        return f"{value:b}"
    raise _failed(letter, value)


def _hex(value: Value, _digits: int, letter: str) -> str:
    if isinstance(value, str | bytes):
        written = (value.encode() if isinstance(value, str) else value).hex()
        return written.upper() if letter == "X" else written
    if type(value) is int or type(value) is Uint:
        return f"{value:{letter}}"
    raise _failed(letter, value)


def _octal(value: Value, _digits: int, letter: str) -> str:
    if type(value) is int or type(value) is Uint:
        return f"{value:o}"
    raise _failed(letter, value)


_WRITERS: Final[dict[str, Callable[[Value, int, str], str]]] = {
    "s": _text, "d": _decimal, "f": _fixed, "e": _scientific, "b": _binary, "x": _hex, "X": _hex, "o": _octal,
}  # fmt: skip
