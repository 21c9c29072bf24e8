"""Fields that hold a number or a string: ports by number or name, counts by number or percentage."""

import re
from typing import Final, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json
from plumbline.kube.gotext import quoted

IntOrString: TypeAlias = int | str

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_LONGEST: Final = 20
_INT32: Final = range(-(2**31), 2**31)
_INT64: Final = range(-(2**63), 2**63)


def parse(text: str) -> IntOrString:
    """The number that *text* is, if it is one of 32 bits; else the text itself."""
    number = _integer(text)
    return text if number is None or number not in _INT32 else number


def from_json(value: Json) -> IntOrString:
    """The field's value, or InvalidInput where it is neither a 32-bit number nor a string."""
    if isinstance(value, str) or (type(value) is int and value in _INT32):
        return value
    raise InvalidInput("cannot read an int-or-string", why="it is neither a string nor an integer of 32 bits")


def int_value(value: IntOrString) -> int:
    """The number, also where it was written as a string; 0 where it is no number."""
    return value if isinstance(value, int) else _integer(value) or 0


def scaled(value: IntOrString, total: int, *, round_up: bool) -> int:
    """The count that *value* asks for out of *total*: a number as it is, a percentage of the total."""
    if isinstance(value, int):
        return value
    if not value.endswith("%"):
        raise _bad("invalid type: string is not a percentage")
    percent = _integer(value[:-1])
    if percent is None:
        fault = "value out of range" if _INTEGER.fullmatch(value[:-1]) else "invalid syntax"
        raise _bad(f"invalid value {quoted(value)}: strconv.Atoi: parsing {quoted(value[:-1])}: {fault}")
    return -(-percent * total // 100) if round_up else percent * total // 100


def same(left: Json, right: Json) -> bool:
    """Whether the server would take two fields for the same: 80 is a port number, "80" is a name."""
    return type(left) is type(right) and left == right


def _integer(text: str) -> int | None:
    if not _INTEGER.fullmatch(text) or len(text) > _LONGEST:
        return None
    number = int(text)
    return number if number in _INT64 else None


def _bad(why: str) -> InvalidInput:
    hint = "Write a whole number such as 3, or a percentage such as 25%."
    return InvalidInput("invalid value for IntOrString", why=why, hint=hint)
