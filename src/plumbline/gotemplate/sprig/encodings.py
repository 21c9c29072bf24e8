"""JSON, base64 and hashes."""

import base64
import binascii
import hashlib
import zlib
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from plumbline.base.json import decode
from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.layouts import written
from plumbline.gotemplate.moments import Time
from plumbline.gotemplate.printing import shortest
from plumbline.gotemplate.values import Failed, Function, Typed, Value, function

_HTML: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
_LINES: Final = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029"})
_SHORT: Final = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _text(raw: bytes) -> str:
    return raw.decode(errors="surrogateescape")


def _json_text(text: str, *, html: bool) -> str:
    escaped = "".join(_SHORT.get(char) or (char if char >= " " else f"\\u{ord(char):04x}") for char in text)
    return f'"{escaped.translate(_HTML if html else _LINES)}"'


def _json(value: Value, *, html: bool = True, indent: str | None = None, depth: int = 0) -> str:
    """As encoding/json writes it: keys in order, and in HTML without surprises."""
    if isinstance(value, str):
        return _json_text(value, html=html)
    if isinstance(value, Time):
        return _json_text(written(value, "2006-01-02T15:04:05.999999999Z07:00"), html=html)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return _json_number(value)
    if isinstance(value, Typed):
        return _json(value.json(), html=html, indent=indent, depth=depth)
    return _json_nested(value, html=html, indent=indent, depth=depth)


def _json_nested(value: Value, *, html: bool, indent: str | None, depth: int) -> str:
    mapping = isinstance(value, dict)
    colon = ":" if indent is None else ": "
    if mapping:
        parts = [
            _json_text(key, html=html) + colon + _json(value[key], html=html, indent=indent, depth=depth + 1)
            for key in sorted(value)
        ]
    else:
        parts = [_json(each, html=html, indent=indent, depth=depth + 1) for each in value]
    first, last = "{}" if mapping else "[]"
    if indent is None or not parts:
        return first + ",".join(parts) + last
    line = "\n" + indent * (depth + 1)
    return f"{first}{line}{f',{line}'.join(parts)}\n{indent * depth}{last}"


def _json_number(value: float) -> str:
    if value != value or abs(value) == float("inf"):  # noqa: PLR0124 - that is what NaN is
        raise Failed(f"json: unsupported value: {'NaN' if value != value else '+Inf' if value > 0 else '-Inf'}")  # noqa: PLR0124 - same
    if value and abs(value) < 1e-6:  # noqa: PLR2004 - where JSON begins to write exponents
        return shortest(value).replace("e-0", "e-")
    if value and abs(value) < 1e-4:  # noqa: PLR2004 - and `%g` does already
        return format(value, "f").rstrip("0") if float(format(value, "f")) == value else _plain(value)
    return shortest(value)


def _plain(value: float) -> str:
    mantissa, _, exponent = repr(abs(value)).partition("e-")
    digits = mantissa.replace(".", "")
    return f"{'-' if value < 0 else ''}0.{'0' * (int(exponent) - 1)}{digits.removesuffix('0') or '0'}"


def _to_json(*, strict: bool, html: bool = True, indent: str | None = None) -> Callable[..., Value]:
    @budgeted
    def encoded(budget: Budget, value: Value) -> str:
        budget.weigh(value)
        try:
            return _json(value, html=html, indent=indent)
        except Failed:
            if strict:
                raise
            return ""

    return encoded


def _from_json(*, strict: bool) -> Callable[..., Value]:
    def decoded(text: str) -> Value:
        try:
            return _floats(decode(_bytes(text)))
        except (msgspec.DecodeError, RecursionError) as fault:
            if strict:
                raise Failed(f"invalid JSON: {fault}") from fault
            return None

    return decoded


def _floats(value: Value) -> Value:
    """Numbers of JSON are float64 there."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, dict):
        return {key: _floats(each) for key, each in value.items()}
    return [_floats(each) for each in value] if isinstance(value, list) else value


def _decoded(text: str, decoder: Callable[[bytes], bytes], name: str) -> str:
    """Never a complaint: what is wrong becomes the text, as in Sprig."""
    raw = _bytes(text).replace(b"\n", b"").replace(b"\r", b"")
    try:
        return _text(decoder(raw))
    except (binascii.Error, ValueError):
        return f"illegal {name} data at input byte {_first_fault(raw, name)}"


def _first_fault(raw: bytes, name: str) -> int:
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" if name == "base32" else None
    for at, byte in enumerate(raw):
        known = byte in alphabet if alphabet else chr(byte).isalnum() or byte in b"+/"
        if not known:
            return at
    return len(raw) - len(raw) % 4 if len(raw) % 4 != 1 else len(raw) - 1


def _hashed(name: str) -> Callable[[str], str]:
    return lambda value: hashlib.new(name, _bytes(value), usedforsecurity=False).hexdigest()


FUNCTIONS: Final[Mapping[str, Function]] = {
    "adler32sum": function("string", lambda value: str(zlib.adler32(_bytes(value)))),
    "b32dec": function("string", lambda value: _decoded(value, base64.b32decode, "base32")),
    "b32enc": function("string", lambda value: base64.b32encode(_bytes(value)).decode()),
    "b64dec": function(
        "string", lambda value: _decoded(value, lambda raw: base64.b64decode(raw, validate=True), "base64")
    ),
    "b64enc": function("string", lambda value: base64.b64encode(_bytes(value)).decode()),
    "fromJson": function("string", _from_json(strict=False)),
    "mustFromJson": function("string", _from_json(strict=True)),
    "mustToJson": function("any", _to_json(strict=True)),
    "mustToPrettyJson": function("any", _to_json(strict=True, indent="  ")),
    "mustToRawJson": function("any", _to_json(strict=True, html=False)),
    "sha1sum": function("string", _hashed("sha1")),
    "sha256sum": function("string", _hashed("sha256")),
    "sha512sum": function("string", _hashed("sha512")),
    "toJson": function("any", _to_json(strict=False)),
    "toPrettyJson": function("any", _to_json(strict=False, indent="  ")),
    "toRawJson": function("any", _to_json(strict=True, html=False)),
}
