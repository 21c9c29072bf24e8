"""Limits of numbers, with what happens to them on the server: limits are floats, values may be integers of 64 bits."""

import struct
from typing import Final, NamedTuple, TypeAlias

from plumbline.apiserver.cel.floats import number_text
from plumbline.apiserver.crds.structural import Node

_SAFE: Final = 2**53 - 1
_NEAR: Final = 1e-9
_BOUNDS: Final = {"int32": 2**31, "": 2**63, "int64": 2**63}


Number: TypeAlias = int | float
"""Which of the two it is matters: limits are compared in the type of the value."""


class NumberError(NamedTuple):
    """`value` is what the server shows; None where it blames no field."""

    text: str
    value: Number | None


def near_integer(value: float) -> bool:
    """Whether the server takes a float for an integer."""
    if value != value or abs(value) > _SAFE:  # noqa: PLR0124 - not a number
        return False
    whole = float(int(value))
    if value == whole:
        return True
    return value > 0 and whole > 0 and (value - whole) / (value + whole) < _NEAR


def number_errors(value: Number, node: Node, path: str) -> list[NumberError]:
    """What is wrong with the number at *path*, in the server's order."""
    errors = _range_errors(value, node, path, "Checked")
    if node.multiple_of is not None:
        errors += _multiple_errors(value, node.multiple_of, node, path)
    if node.minimum is not None:
        outside = _range_errors(node.minimum, node, path, "Minimum boundary")
        bound = _bound(value, node.minimum, exact=not outside)
        errors += outside
        if value < bound or (node.exclusive_minimum and value == bound):
            words = "greater than" if node.exclusive_minimum else "greater than or equal to"
            errors.append(NumberError(f"{path} in body should be {words} {number_text(bound)}", value))
    if node.maximum is not None:
        outside = _range_errors(node.maximum, node, path, "Maximum boundary")
        bound = _bound(value, node.maximum, exact=not outside)
        errors += outside
        if value > bound or (node.exclusive_maximum and value == bound):
            words = "less than" if node.exclusive_maximum else "less than or equal to"
            errors.append(NumberError(f"{path} in body should be {words} {number_text(bound)}", value))
    return errors


def _bound(value: Number, limit: float, *, exact: bool) -> Number:
    """*limit* as the value's type holds it, unless it is no number of the declared type at all."""
    return int(limit) if exact and isinstance(value, int) else limit


def _multiple_errors(value: Number, factor: float, node: Node, path: str) -> list[NumberError]:
    errors = _range_errors(factor, node, path, "MultipleOf")
    used = _bound(value, factor, exact=not errors)
    if used <= 0:
        said = f"factor MultipleOf declared for {path} must be positive: {number_text(used)}"
        errors.append(NumberError(said, used))
    elif not _is_multiple(value, used):
        errors.append(NumberError(f"{path} in body should be a multiple of {number_text(used)}", value))
    return errors


def _is_multiple(value: Number, factor: Number) -> bool:
    if isinstance(factor, int):
        return value % factor == 0
    return near_integer(1 / factor * value if factor < 1 else value / factor)


def _range_errors(value: Number, node: Node, path: str, title: str) -> list[NumberError]:
    if _in_range(value, node):
        return []
    written = f"with format {node.format}" if node.format else "(default format)"
    return [NumberError(f"{title} value must be of type {node.types[0]} {written} in {path}", None)]


def _in_range(value: Number, node: Node) -> bool:
    if node.type == "integer" and not node.int_or_string:
        if isinstance(value, float) and not value.is_integer():
            return False
        bound = _BOUNDS[node.format]
        return -bound <= value < bound
    if node.type == "number" and node.format == "float":
        try:
            struct.pack("<f", value)
        except OverflowError:
            return False
    return True
