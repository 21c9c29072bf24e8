"""Arithmetic."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, localcontext
from typing import Final

from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.printing import printed
from plumbline.gotemplate.sprig.conversions import floating, int_, whole, wrapped
from plumbline.gotemplate.values import Failed, Function, Int, Ints, Value, function

_DIGITS: Final = 400
_PLACES: Final = Decimal("1e-16")


def _divided(first: Value, other: Value) -> int:
    above, below = whole(first), whole(other)
    if not below:
        raise Failed("runtime error: integer divide by zero")
    quotient = abs(above) // abs(below)
    return wrapped(quotient if (above < 0) == (below < 0) else -quotient)


def _remainder(first: Value, other: Value) -> int:
    above, below = whole(first), whole(other)
    if not below:
        raise Failed("runtime error: integer divide by zero")
    return above - below * _divided(above, below)


def _product(first: Value, *others: Value) -> int:
    product = whole(first)
    for other in others:
        product = wrapped(product * whole(other))
    return product


def _decimal(value: Value) -> Decimal:
    found = floating(value)
    if not math.isfinite(found):
        raise Failed(f"Cannot create a Decimal from {found}")
    return Decimal(repr(found))


def _folded(operation: Callable[[Decimal, Decimal], Decimal], first: Value, others: tuple[Value, ...]) -> float:
    with localcontext(Context(prec=_DIGITS)):
        found = _decimal(first)
        for other in others:
            try:
                found = operation(found, _decimal(other))
            except (DivisionByZero, InvalidOperation):
                raise Failed("decimal division by 0") from None
        return float(found)


def _quotient(first: Decimal, other: Decimal) -> Decimal:
    """Sixteen places, as the library that Sprig uses keeps."""
    return (first / other).quantize(_PLACES)


def _steps(budget: Budget, start: int, stop: int, step: int) -> Ints:
    if step == 0 or (stop < start) != (step < 0):
        return Ints()
    steps = range(start, stop, step)
    budget.hold(len(steps))
    return Ints(map(Int, steps))


@budgeted
def _until(budget: Budget, count: int) -> Ints:
    return _steps(budget, 0, count, -1 if count < 0 else 1)


@budgeted
def _until_step(budget: Budget, start: int, stop: int, step: int) -> Ints:
    return _steps(budget, start, stop, step)


@budgeted
def _sequence(budget: Budget, *params: int) -> str:
    if len(params) == 1:
        params = (1, *params)
    if len(params) == 2:  # noqa: PLR2004 - from and to
        params = (params[0], -1 if params[1] < params[0] else 1, params[1])
    elif len(params) != 3 or (params[2] < params[0] and params[1] > 0):  # noqa: PLR2004 - from, by and to
        return ""
    start, step, end = params
    return " ".join(map(str, _steps(budget, start, end + (-1 if end < start else 1), step)))


def _rounded(value: Value, places: int, *on: float) -> float:
    scale = math.pow(10, places)
    digit = scale * floating(value)
    fraction = math.modf(digit)[0]
    return (math.ceil(digit) if fraction >= (on[0] if on else 0.5) else math.floor(digit)) / scale


@budgeted
def _from_octal(budget: Budget, value: Value) -> int:
    with suppress(ValueError):
        return int(printed(value, budget), 8)
    return 0


def _from_text(value: str) -> Int:
    with suppress(ValueError):
        return Int(int(value, 10)) if not value.startswith(("_", " ")) and "_" not in value else Int(0)
    return Int(0)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "add": function("...any", lambda *values: wrapped(sum(map(whole, values)))),
    "add1": function("any", lambda value: wrapped(whole(value) + 1)),
    "add1f": function("any", lambda value: _folded(Decimal.__add__, value, (1,))),
    "addf": function("...any", lambda *values: _folded(Decimal.__add__, 0.0, values)),
    "atoi": function("string", _from_text),
    "biggest": function("any ...any", lambda *values: max(map(whole, values))),
    "ceil": function("any", lambda value: float(math.ceil(floating(value)))),
    "div": function("any any", _divided),
    "divf": function("any ...any", lambda first, *others: _folded(_quotient, first, others)),
    "float64": function("any", floating),
    "floor": function("any", lambda value: float(math.floor(floating(value)))),
    "int": function("any", int_),
    "int64": function("any", whole),
    "max": function("any ...any", lambda *values: max(map(whole, values))),
    "maxf": function("any ...any", lambda *values: max(map(floating, values))),
    "min": function("any ...any", lambda *values: min(map(whole, values))),
    "minf": function("any ...any", lambda *values: min(map(floating, values))),
    "mod": function("any any", _remainder),
    "mul": function("any ...any", _product),
    "mulf": function("any ...any", lambda first, *others: _folded(Decimal.__mul__, first, others)),
    "round": function("any int ...float64", _rounded),
    "seq": function("...int", _sequence),
    "sub": function("any any", lambda first, other: wrapped(whole(first) - whole(other))),
    "subf": function("any ...any", lambda first, *others: _folded(Decimal.__sub__, first, others)),
    "toDecimal": function("any", _from_octal),
    "until": function("int", _until),
    "untilStep": function("int int int", _until_step),
}
