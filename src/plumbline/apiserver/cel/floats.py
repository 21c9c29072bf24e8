"""Floating-point numbers as Go prints them."""

import math
from typing import Final

_FIXED_FROM: Final = 1e-4
_FIXED_BELOW: Final = 1e6


def number_text(value: int | float) -> str:  # noqa: PYI041 - integers are printed in full
    """As Go prints it: floats of a million and more, or less than a ten thousandth, with an exponent."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    shortest = repr(value)
    if value == 0 or _FIXED_FROM <= abs(value) < _FIXED_BELOW:
        return shortest.removesuffix(".0")
    mantissa, _, power = _scientific(shortest).partition("e")
    return f"{mantissa}e{'-' if power.startswith('-') else '+'}{power.lstrip('-').zfill(2)}"


def _scientific(shortest: str) -> str:
    """Python's shortest digits of a float, always with an exponent."""
    mantissa, _, power = shortest.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    shift = len(whole) - 1 if whole.strip("0") else -(len(fraction) - len(fraction.lstrip("0")) + 1)
    digits = digits.rstrip("0") or "0"
    point = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{point}e{int(power or 0) + shift}"


def as_float(value: int) -> float:
    """What is too large for a float is without end."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
