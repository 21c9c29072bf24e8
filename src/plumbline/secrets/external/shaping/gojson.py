"""JSON as Go's encoding/json reads and writes it, where a value of a store is JSON. Pure.

Numbers are float64, keys are in order, and what cannot be read is not quoted.
"""

import math
import struct
from decimal import Decimal
from typing import Final

import msgspec

from plumbline.base.documents.scalars import go_float
from plumbline.base.json import Json, JsonObject, decode

_SHORT: Final = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_LINES: Final = {"\u2028": "\\u2028", "\u2029": "\\u2029"}
_HTML: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
_SMALLEST: Final = 1e-6
_LARGEST: Final = 1e21
_FLOAT32_DIGITS: Final = 9


def read_object(raw: bytes) -> JsonObject | None:
    """The object that *raw* is, none of whose numbers is an int; nothing in it for null. None for all else."""
    try:
        value = decode(raw.decode(errors="replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    if value is None:
        return {}
    return floating(value) if isinstance(value, dict) else None


def floating(value: Json) -> Json:
    """*value* with all its numbers as float64."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, dict):
        return {key: floating(each) for key, each in value.items()}
    return [floating(each) for each in value] if isinstance(value, list) else value


def as_bytes(value: Json) -> bytes:
    """What a key of a Secret holds for *value*: text as it is, numbers without exponents, nothing for null."""
    if value is None:
        return b""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        return plain(value).encode()
    return written(value)


def written(value: Json, *, html: bool = True) -> bytes:
    """As `json.Marshal` writes it; without *html*, `<`, `>` and `&` stay."""
    return _text(value, _SHORT | _LINES | (_HTML if html else {})).encode()


def _text(value: Json, escapes: dict[str, str]) -> str:
    if isinstance(value, str):
        return _quoted(value, escapes)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        parts = (f"{_quoted(key, escapes)}:{_text(value[key], escapes)}" for key in sorted(value))
        return "{" + ",".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_text(each, escapes) for each in value) + "]"
    return "null"


def _quoted(text: str, escapes: dict[str, str]) -> str:
    return '"' + "".join(escapes.get(char) or (char if char >= " " else f"\\u{ord(char):04x}") for char in text) + '"'


def _number(value: float) -> str:
    if value and not _SMALLEST <= abs(value) < _LARGEST:
        mantissa, _, exponent = repr(value).partition("e")
        sign, digits = exponent[0], exponent.lstrip("+-0")
        return f"{mantissa.removesuffix('.0')}e{sign}{digits}"
    return plain(value)


def plain(value: float) -> str:
    """Shortest digits, no exponent; `%f` with as few digits as tell it from its neighbours."""
    text = format(Decimal(repr(value)), "f")
    text = text.removesuffix(".0")
    return "-0" if value == 0 and math.copysign(1, value) < 0 else text


def general(value: float) -> str:
    """As sigs.k8s.io/yaml writes a number where a string is wanted: `%g` of a float32, so that digits may get lost."""
    try:
        single: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if not math.isfinite(single):
        return "NaN" if math.isnan(single) else "+Inf" if single > 0 else "-Inf"
    for digits in range(_FLOAT32_DIGITS):
        text = f"{single:.{digits}e}"
        if struct.pack("f", float(text)) == struct.pack("f", single):
            break
    return go_float(text)
