"""Conversions of a value into one of another type, as Go's strconv and Kubernetes read and write them."""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

import msgspec

from plumbline.base.errors import BadQuantity, EvaluationFailed
from plumbline.base.json import Json, decode
from plumbline.composition.patching.govalues import floated, positional, printed, raw
from plumbline.composition.patching.templates import ConvertTransform
from plumbline.composition.patching.validation import TYPES, check_convert
from plumbline.gotemplate.quoting import quoted
from plumbline.gotemplate.values import type_name
from plumbline.kube.quantity import Quantity

Step: TypeAlias = Callable[[Json], Json]

_LEAST, _MOST = -(2**63), 2**63 - 1
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_integer: Final = re.compile(r"[+-]?[0-9]+").fullmatch
_NUMBER: Final = r"[0-9](?:_?[0-9])*"
_decimal: Final = re.compile(rf"[+-]?(?:{_NUMBER}(?:\.(?:{_NUMBER})?)?|\.{_NUMBER})(?:[eE][+-]?{_NUMBER})?").fullmatch
_HEX: Final = r"[0-9a-fA-F](?:_?[0-9a-fA-F])*"
_hexadecimal: Final = re.compile(rf"[+-]?0[xX](?:_?{_HEX}(?:\.(?:{_HEX})?)?|\.{_HEX})[pP][+-]?{_NUMBER}").fullmatch
_special: Final = re.compile(r"[+-]?inf(?:inity)?|nan", re.IGNORECASE).fullmatch
_MOST_DIGITS: Final = 4000
"""Longer numbers are none that anybody means; Python reads them in time with the square of their length."""


def whole(value: float) -> int:
    """As Go makes an int64 of a float64, on the machines that matter. An int is one already."""
    if isinstance(value, int):
        return value
    if not math.isfinite(value) or not _LEAST <= value < 2.0**63:
        return _LEAST
    return int(value)


def wrapped_around(value: int) -> int:
    """What is left of *value* in 64 bits."""
    return (value - _LEAST) % 2**64 + _LEAST


def _numeric_fault(function: str, text: str, why: str) -> EvaluationFailed:
    return EvaluationFailed(f"strconv.{function}: parsing {quoted(text[:_MOST_DIGITS])}: {why}")


def _to_int64(text: str) -> int:
    if not _integer(text):
        raise _numeric_fault("ParseInt", text, "invalid syntax")
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > len(str(_MOST)) or not _LEAST <= int(text) <= _MOST:
        raise _numeric_fault("ParseInt", text, "value out of range")
    return int(text)


def _to_bool(text: str) -> bool:
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise _numeric_fault("ParseBool", text, "invalid syntax")


def _to_float(text: str) -> float:
    if len(text) > _MOST_DIGITS:
        raise _numeric_fault("ParseFloat", text, "invalid syntax")
    if _special(text):
        return float(text)
    try:
        if _hexadecimal(text):
            value = float.fromhex(text.replace("_", ""))
        elif _decimal(text):
            value = float(text)
        else:
            raise _numeric_fault("ParseFloat", text, "invalid syntax")
    except OverflowError as fault:
        raise _numeric_fault("ParseFloat", text, "value out of range") from fault
    if math.isinf(value):
        raise _numeric_fault("ParseFloat", text, "value out of range")
    return value


def _quantity(text: str) -> float:
    try:
        quantity = Quantity.parse(text)
    except BadQuantity as fault:
        raise EvaluationFailed(fault.why or fault.what) from fault
    try:
        base = float(quantity.digits)
    except OverflowError:
        base = math.copysign(math.inf, quantity.digits)
    return base * float(f"1e{quantity.exponent}") if quantity.exponent else base


def _from_json(shape: type, text: str) -> Json:
    try:
        value = decode(raw(text))
    except (msgspec.DecodeError, RecursionError) as fault:
        cut = "truncated" in str(fault) or not text.strip()
        raise EvaluationFailed("unexpected end of JSON input" if cut else f"invalid JSON: {fault}") from fault
    if value is not None and not isinstance(value, shape):
        into = "map[string]interface {}" if shape is dict else "[]interface {}"
        raise EvaluationFailed(f"json: cannot unmarshal {_json_type(value)} into Go value of type {into}")
    return floated(value)


def _json_type(value: Json) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "bool"}
    return names.get(type(value), "number")


_CONVERSIONS: Final[dict[tuple[str, str, str], Step]] = {
    ("string", "int64", "none"): _to_int64,
    ("string", "bool", "none"): _to_bool,
    ("string", "float64", "none"): _to_float,
    ("string", "float64", "quantity"): _quantity,
    ("string", "object", "json"): partial(_from_json, dict),
    ("string", "array", "json"): partial(_from_json, list),
    ("int64", "string", "none"): str,
    ("int64", "bool", "none"): lambda value: value == 1,
    ("int64", "float64", "none"): float,
    ("bool", "string", "none"): lambda value: "true" if value else "false",
    ("bool", "int64", "none"): int,
    ("bool", "float64", "none"): float,
    ("float64", "string", "none"): positional,
    ("float64", "int64", "none"): whole,
    ("float64", "bool", "none"): lambda value: value == 1.0,
}


def conversion(convert: ConvertTransform, *, native: bool) -> Step:
    if fault := next(check_convert(convert), None):
        return refusing(str(fault))
    to = "int64" if convert.to_type == "int" else convert.to_type or ""
    form = convert.format or "none"

    def convert_value(value: Json) -> Json:
        origin = type_name(value)
        if origin not in TYPES:
            raise EvaluationFailed(f"invalid input type {origin}")
        if origin == to:
            return value
        step = _CONVERSIONS.get((origin, to, form))
        if step is None:
            raise EvaluationFailed(f"conversion from {origin} to {to} is not supported with format {form}")
        try:
            return step(value)
        except EvaluationFailed as fault:
            if not native:
                raise
            raise EvaluationFailed(f"{printed('cannot convert value %s', value)}: {fault}") from fault

    return convert_value


def refusing(what: str) -> Step:
    """A step that never comes to a value: what it says of itself makes no sense."""

    def refuse(_value: Json) -> Json:
        raise EvaluationFailed(what)

    return refuse
