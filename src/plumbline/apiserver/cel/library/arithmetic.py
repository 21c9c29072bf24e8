"""Operators on numbers, texts, lists and times, within the bounds of 64 bits."""

from typing import Final

from plumbline.apiserver.cel.functions import Declared, effort, of_both, of_list, of_shorter
from plumbline.apiserver.cel.times import MOST_NANOSECONDS, SECOND, Duration, Timestamp
from plumbline.apiserver.cel.values import Uint, Value, compared, equal, sum_of_lists
from plumbline.base.errors import EvaluationFailed

_INT: Final = 2**63
_UINT: Final = 2**64
_FIRST_SECOND: Final = -62_135_596_800
_LAST_SECOND: Final = 253_402_300_799


def _int(value: int) -> int:
    if not -_INT <= value < _INT:
        raise EvaluationFailed("integer overflow")
    return value


def _uint(value: int) -> Uint:
    if not 0 <= value < _UINT:
        raise EvaluationFailed("unsigned integer overflow")
    return Uint(value)


def duration(value: int) -> Duration:
    if not -MOST_NANOSECONDS - 1 <= value <= MOST_NANOSECONDS:
        raise EvaluationFailed("integer overflow")
    return Duration(value)


def timestamp(value: int) -> Timestamp:
    if not _FIRST_SECOND <= value // SECOND <= _LAST_SECOND:
        raise EvaluationFailed("timestamp overflow")
    return Timestamp(value)


def _divided(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationFailed("division by zero")
    quotient = abs(left) // abs(right)
    return _int(quotient if (left < 0) == (right < 0) else -quotient)


def _modulo(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationFailed("modulus by zero")
    remainder = abs(left) % abs(right)
    return -remainder if left < 0 else remainder


def _float_divided(left: float, right: float) -> float:
    if right == 0:
        return float("nan") if left == 0 or left != left else float("inf") * (1 if left > 0 else -1)  # noqa: PLR0124 - NaN
    return left / right


def _contains(item: Value, within: list[Value]) -> bool:
    return any(equal(item, each) for each in within)


def _has_key(key: Value, within: dict[Value, Value]) -> bool:
    return key in within


def _of_joining(args: tuple[Value, ...]) -> int:
    return 1 + effort(*args)


ARITHMETIC: Final[tuple[Declared, ...]] = (
    ("_+_", "(bytes, bytes) -> bytes", lambda left, right: left + right, of_both),
    ("_+_", "(double, double) -> double", lambda left, right: left + right, None),
    ("_+_", "(duration, duration) -> duration", lambda left, right: duration(left + right), None),
    ("_+_", "(duration, timestamp) -> timestamp", lambda left, right: timestamp(left + right), None),
    ("_+_", "(timestamp, duration) -> timestamp", lambda left, right: timestamp(left + right), None),
    ("_+_", "(int, int) -> int", lambda left, right: _int(left + right), None),
    ("_+_", "(list(A), list(A)) -> list(A)", sum_of_lists, _of_joining),
    ("_+_", "(string, string) -> string", lambda left, right: left + right, of_both),
    ("_+_", "(uint, uint) -> uint", lambda left, right: _uint(left + right), None),
    ("_-_", "(double, double) -> double", lambda left, right: left - right, None),
    ("_-_", "(duration, duration) -> duration", lambda left, right: duration(left - right), None),
    ("_-_", "(int, int) -> int", lambda left, right: _int(left - right), None),
    ("_-_", "(timestamp, duration) -> timestamp", lambda left, right: timestamp(left - right), None),
    ("_-_", "(timestamp, timestamp) -> duration", lambda left, right: duration(left - right), None),
    ("_-_", "(uint, uint) -> uint", lambda left, right: _uint(left - right), None),
    ("_*_", "(double, double) -> double", lambda left, right: left * right, None),
    ("_*_", "(int, int) -> int", lambda left, right: _int(left * right), None),
    ("_*_", "(uint, uint) -> uint", lambda left, right: _uint(left * right), None),
    ("_/_", "(double, double) -> double", _float_divided, None),
    ("_/_", "(int, int) -> int", _divided, None),
    ("_/_", "(uint, uint) -> uint", lambda left, right: _uint(_divided(left, right)), None),
    ("_%_", "(int, int) -> int", _modulo, None),
    ("_%_", "(uint, uint) -> uint", lambda left, right: _uint(_modulo(left, right)), None),
    ("-_", "(double) -> double", lambda value: -value, None),
    ("-_", "(int) -> int", lambda value: _int(-value), None),
    ("!_", "(bool) -> bool", lambda value: not value, None),
    ("_==_", "(A, A) -> bool", equal, of_shorter),
    ("_!=_", "(A, A) -> bool", lambda left, right: not equal(left, right), of_shorter),
    ("@in", "(A, list(A)) -> bool", _contains, of_list),
    ("@in", "(A, map(A, B)) -> bool", _has_key, None),
    ("_?_:_", "(bool, A, A) -> A", lambda *_args: None, None),
    ("_&&_", "(bool, bool) -> bool", lambda *_args: None, None),
    ("_||_", "(bool, bool) -> bool", lambda *_args: None, None),
    ("_[_]", "(list(A), int) -> A", lambda *_args: None, None),
    ("_[_]", "(map(A, B), A) -> B", lambda *_args: None, None),
)
"""Those without an implementation are evaluated where they stand: they do not always look at all of their arguments."""

_COMPARED: Final = (
    ("bool", "bool", None), ("int", "int", None), ("int", "double", None), ("int", "uint", None),
    ("uint", "uint", None), ("uint", "double", None), ("uint", "int", None), ("double", "double", None),
    ("double", "int", None), ("double", "uint", None), ("string", "string", of_shorter),
    ("bytes", "bytes", of_shorter), ("timestamp", "timestamp", None), ("duration", "duration", None),
)  # fmt: skip
_TESTS: Final = (
    ("_<_", lambda left, right: compared(left, right) < 0),
    ("_<=_", lambda left, right: compared(left, right) <= 0),
    ("_>_", lambda left, right: compared(left, right) > 0),
    ("_>=_", lambda left, right: compared(left, right) >= 0),
)
COMPARISONS: Final[tuple[Declared, ...]] = tuple(
    (operator, f"({left}, {right}) -> bool", test, cost) for operator, test in _TESTS for left, right, cost in _COMPARED
)
