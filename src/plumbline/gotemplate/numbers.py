"""Constants of templates: what Go's ideal constants can stand for."""

import re
from contextlib import suppress
from typing import Final

from plumbline.gotemplate.nodes import Number
from plumbline.gotemplate.quoting import quoted, rune
from plumbline.gotemplate.values import Failed

_MOST: Final = 2**63 - 1
_LEAST: Final = -(2**63)
_MOST_UNSIGNED: Final = 2**64 - 1
_integer: Final = re.compile(
    r"([+-]?)(?:0[xX](_?[0-9a-fA-F](?:_?[0-9a-fA-F])*)|0[bB](_?[01](?:_?[01])*)|0[oO]?(_?[0-7](?:_?[0-7])*)|(0|[1-9](?:_?[0-9])*))"
).fullmatch
_float: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
_hex_float: Final = re.compile(r"[+-]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+").fullmatch
_complex: Final = re.compile(r"([+-]?[^+-]+(?:[eE][+-]?[0-9]+)?)([+-].*)i").fullmatch


def number(at: int, text: str, kind: str) -> Number:
    """Raises Failed with Go's words."""
    if kind == "rune":
        point = rune(text)
        return Number(at, text, point, float(point))
    if kind == "complex":
        found = _complex(text)
        parts = [_floating(part) for part in found.groups()] if found else [None]
        if None in parts:
            raise Failed(f"illegal number syntax: {quoted(text)}")
        return _simplified(at, text, complex(*(part or 0.0 for part in parts)))
    if text.endswith("i"):
        imaginary = _floating(text[:-1])
        if imaginary is not None:
            return _simplified(at, text, complex(0, imaginary))
    return _real(at, text)


def _real(at: int, text: str) -> Number:
    whole = integer(text)
    if whole is not None:
        if _LEAST <= whole <= _MOST:
            return Number(at, text, whole, float(whole))
        if 0 <= whole <= _MOST_UNSIGNED:
            return Number(at, text, None, float(whole))
    floating = _floating(text)
    if floating is None:
        raise Failed(f"illegal number syntax: {quoted(text)}")
    if not set(text) & set(".eEpP"):
        raise Failed(f"integer overflow: {quoted(text)}")
    return Number(at, text, _whole(floating), floating)


def _whole(floating: float) -> int | None:
    return int(floating) if floating.is_integer() and _LEAST <= floating <= _MOST else None


def _simplified(at: int, text: str, value: complex) -> Number:
    if value.imag:
        return Number(at, text, imaginary=value)
    return Number(at, text, _whole(value.real), value.real, value)


def integer(text: str) -> int | None:
    """As `strconv.ParseInt` reads with base 0, without a bound."""
    found = _integer(text)
    if found is None:
        return None
    sign, hexadecimal, binary, octal, decimal = found.groups()
    digits, base = next(
        (digits, base)
        for digits, base in ((hexadecimal, 16), (binary, 2), (octal, 8), (decimal, 10))
        if digits is not None
    )
    value = int(digits.replace("_", ""), base)
    return -value if sign == "-" else value


def _floating(text: str) -> float | None:
    plain = text.replace("_", "")
    with suppress(OverflowError, ValueError):
        if _hex_float(plain):
            value = float.fromhex(plain)
        elif _float(plain):
            value = float(plain)
        else:
            return None
        return value if abs(value) != float("inf") else None
    return None
