"""Values on their way through a patch, with the distinctions that Go makes: whole numbers and others, bytes and text.

`int` is an int64 and `float` a float64. Text that is no UTF-8 is carried as Python does, and becomes what JSON makes of
it where it is written.
"""

import math
import re
from decimal import Decimal
from typing import Final

from plumbline.base.errors import EvaluationFailed, LimitExceeded
from plumbline.base.json import Json
from plumbline.base.limits import DEEPEST, MIB
from plumbline.gotemplate import Bounds
from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.printing import formatted

MOST_TEXT: Final = 1 * MIB
"""Characters of what a transform makes; fields of objects hold no more."""
TOO_LONG: Final = f"a text of more than {MOST_TEXT} characters would be made"
_BOUNDS: Final = Bounds(value_bytes=MOST_TEXT, output_bytes=MOST_TEXT)
_LEAST, _MOST = -(2**63), 2**63 - 1
_LARGEST_PLAIN: Final = 1e21
_EXACT: Final = 2**53
_SMALLEST_PLAIN: Final = 1e-6
_simple_verb: Final = re.compile("%[sv]").split
_bytes_in_text: Final = re.compile("[\udc80-\udcff]")
_needs_escape: Final = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029]')
_SHORT: Final = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def settled(value: Json, depth: int = 0) -> Json:
    """What comes back when *value* is written as JSON and read as Kubernetes does: whole floats are integers."""
    if isinstance(value, str):
        return value if value.isascii() else utf8(value)
    if isinstance(value, float):
        return _settled_number(value)
    if isinstance(value, dict | list):
        if depth >= DEEPEST:
            raise EvaluationFailed("cannot unmarshal value from JSON: exceeded max depth")
        return _settled_items(value, depth + 1)
    return value


def _settled_items(value: Json, depth: int) -> Json:
    """The same object where nothing in it changes, as is the rule."""
    if isinstance(value, list):
        items = [settled(each, depth) for each in value]
        return value if all(map(_is, items, value)) else items
    fields = {settled(key): settled(each, depth) for key, each in value.items()}
    return value if all(map(_is, fields.values(), value.values())) and all(map(str.isascii, value)) else fields


def _is(left: object, right: object) -> bool:
    return left is right


def _settled_number(value: float) -> Json:
    if not math.isfinite(value):
        raise EvaluationFailed(f"cannot marshal value to JSON: {_unsupported(value)}")
    if abs(value) >= _LARGEST_PLAIN or not value.is_integer():
        return value
    # Written with the fewest digits that mean it, a large one is read as another whole number than it is.
    whole = int(value) if abs(value) < _EXACT else int(Decimal(repr(value)))
    return whole if _LEAST <= whole <= _MOST else value


def _unsupported(value: float) -> str:
    return f"json: unsupported value: {'NaN' if math.isnan(value) else '+Inf' if value > 0 else '-Inf'}"


def floated(value: Json) -> Json:
    """*value* as it is read without a schema: all numbers are float64."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, dict):
        return {key: floated(each) for key, each in value.items()}
    return [floated(each) for each in value] if isinstance(value, list) else value


def utf8(text: str) -> str:
    """*text* with the replacement character for each byte that is none."""
    return _bytes_in_text.sub("\ufffd", text)


def raw(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def printed(form: str, *values: Json) -> str:
    """As fmt.Sprintf."""
    try:
        return formatted(form, values, Budget(_BOUNDS))
    except LimitExceeded as fault:
        raise EvaluationFailed(TOO_LONG) from fault


class Form:
    """A format that was read beforehand: most are of nothing but `%s` and are given nothing but texts."""

    __slots__ = ("_form", "_parts")

    def __init__(self, form: str) -> None:
        self._form = form
        parts = _simple_verb(form)
        self._parts = () if any("%" in each for each in parts) else tuple(parts)

    def __call__(self, *values: Json) -> str:
        parts = self._parts
        if len(parts) != len(values) + 1 or not all(isinstance(each, str) for each in values):
            return printed(self._form, *values)
        text = parts[0] + "".join([value + part for value, part in zip(values, parts[1:], strict=True)])
        if len(text) > MOST_TEXT:
            raise EvaluationFailed(TOO_LONG)
        return text


def plain(value: Json) -> str:
    """As `%v`."""
    return value if isinstance(value, str) else printed("%v", value)


def json_text(value: Json, depth: int = 0) -> str:
    """As encoding/json writes it. Raises EvaluationFailed for numbers that are none."""
    if isinstance(value, str):
        return _json_string(value)
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, float):
        return _json_number(value)
    if isinstance(value, int):
        return str(value)
    if depth >= DEEPEST:
        raise EvaluationFailed("exceeded max depth")
    if isinstance(value, list):
        return "[" + ",".join(json_text(each, depth + 1) for each in value) + "]"
    pairs = (f"{_json_string(key)}:{json_text(value[key], depth + 1)}" for key in sorted(value))
    return "{" + ",".join(pairs) + "}"


def _json_string(text: str) -> str:
    return '"' + _needs_escape.sub(_escaped, utf8(text)) + '"'


def _escaped(found: re.Match[str]) -> str:
    return _SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}"


def _json_number(value: float) -> str:
    if not math.isfinite(value):
        raise EvaluationFailed(_unsupported(value))
    if value == 0 or _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        return positional(value)
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        sign, digits, power = Decimal(mantissa).as_tuple()
        power = int(power) + len(digits) - 1
        written = "".join(map(str, digits)).rstrip("0")
        mantissa = ("-" if sign else "") + written[0] + ("." + written[1:] if len(written) > 1 else "")
        exponent = str(power)
    return f"{mantissa}e{int(exponent):+d}"


def positional(value: float) -> str:
    """The fewest digits that mean *value*, never with an exponent."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").removesuffix(".") if "." in text else text
