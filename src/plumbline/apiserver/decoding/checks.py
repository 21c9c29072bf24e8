"""The fast reading: whether a decoded body is plainly right.

One walk that touches each value once. It gives the number of keys, by which repeated ones are found, or says that
something is odd; what it is, if anything, the slow reading tells. So it may be stricter than Go, and never laxer.
"""

import re
from binascii import a2b_base64
from collections.abc import Callable
from functools import cache, cached_property
from typing import Final, NoReturn, TypeAlias

from plumbline.apiserver.decoding.types import (
    Flag,
    Mapping,
    Octets,
    Real,
    Sequence,
    Special,
    Structure,
    Text,
    Type,
    Whole,
    structure,
)
from plumbline.base.json import Json, JsonObject

Check: TypeAlias = "type | Callable[[Json], int]"
"""Of a value that is not null: the one class it may have, or what counts its keys."""

Rest: TypeAlias = tuple[tuple[str, Callable[[Json], int]], ...]
_MOST_FORMS: Final = 256

_time: Final = re.compile(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{6})?Z"
).fullmatch
_quantity: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,3})?(?:m|[kMGTPE]|[KMGTPE]i)?").fullmatch
_INT32: Final = 2**31
_INT64: Final = 2**63


class Odd(Exception):
    """Not plainly right."""


def keys_of(value: Json, type_: Structure) -> int:
    """How many keys the objects in *value* have together; Odd unless all of it is as *type_* wants it."""
    if type(value) is not dict:
        raise Odd
    return _checker(type_).keys(value)


class _Checker:
    """Of one structure. Objects with the same keys and classes of values are alike, and most were seen before."""

    def __init__(self, type_: Structure) -> None:
        self._type = type_
        self._seen: dict[tuple[object, ...], Rest] = {}

    @cached_property
    def _checks(self) -> dict[str, Check]:
        return {name: check_of(member.type) for name, member in self._type.members.items()}

    def keys(self, value: Json) -> int:
        if type(value) is not dict:
            raise Odd
        form = (*value, *map(type, value.values()))
        rest = self._seen.get(form)
        if rest is None:
            rest = self._learn(form, value)
        keys = len(value)
        for name, check in rest:
            keys += check(value[name])
        return keys

    def _learn(self, form: tuple[object, ...], value: JsonObject) -> Rest:
        """What is left to be looked at in objects like *value*."""
        rest: list[tuple[str, Callable[[Json], int]]] = []
        for name, child in value.items():
            check = self._checks.get(name)
            if check is None:
                raise Odd
            if type(child) is check or child is None:
                continue
            if isinstance(check, type):
                raise Odd
            rest.append((name, check))
        if len(self._seen) >= _MOST_FORMS:
            self._seen.clear()
        self._seen[form] = tuple(rest)
        return self._seen[form]


@cache
def _checker(type_: Structure) -> _Checker:
    return _Checker(type_)


def check_of(type_: Type) -> Check:
    if isinstance(type_, Structure):
        return _checker(type_).keys
    if isinstance(type_, Text):
        return str
    if isinstance(type_, Flag):
        return bool
    if isinstance(type_, Whole):
        return _int32 if type_.high < _INT32 else _int64
    if isinstance(type_, Sequence):
        return _items(check_of(type_.item))
    if isinstance(type_, Mapping):
        return _values(check_of(type_.value))
    if isinstance(type_, Special):
        return _SPECIALS[type_.message]
    return {Octets: _octets, Real: _real}[type(type_)]


def _items(check: Check) -> Callable[[Json], int]:
    if isinstance(check, type):
        allowed = frozenset({check})
        return lambda value: 0 if type(value) is list and allowed.issuperset(map(type, value)) else _odd()

    def items(value: Json) -> int:
        if type(value) is not list:
            raise Odd
        return sum([0 if item is None else check(item) for item in value])

    return items


def _values(check: Check) -> Callable[[Json], int]:
    if isinstance(check, type):
        allowed = frozenset({check})

        def plain(value: Json) -> int:
            if type(value) is not dict or not allowed.issuperset(map(type, value.values())):
                raise Odd
            return len(value)

        return plain

    def values(value: Json) -> int:
        if type(value) is not dict:
            raise Odd
        return len(value) + sum([0 if child is None else check(child) for child in value.values()])

    return values


def _odd() -> NoReturn:
    raise Odd


def _int32(value: Json) -> int:
    return 0 if type(value) is int and -_INT32 <= value < _INT32 else _odd()


def _int64(value: Json) -> int:
    return 0 if type(value) is int and -_INT64 <= value < _INT64 else _odd()


def _real(value: Json) -> int:
    return 0 if type(value) is int or type(value) is float else _odd()


def _octets(value: Json) -> int:
    if type(value) is not str:
        raise Odd
    try:
        a2b_base64(value, strict_mode=True)
    except ValueError:
        raise Odd from None
    return 0


def _moment(value: Json) -> int:
    found = _time(value) if type(value) is str else None
    return 0 if found and not found[1] else _odd()


def _precise_moment(value: Json) -> int:
    found = _time(value) if type(value) is str else None
    return 0 if found and found[1] else _odd()


def _amount(value: Json) -> int:
    return 0 if (type(value) is str and _quantity(value)) or (type(value) is int and value >= 0) else _odd()


def _int_or_string(value: Json) -> int:
    return 0 if type(value) is str else _int32(value)


def any_keys(value: Json) -> int:
    """In anything, whatever its form."""
    keys = 0
    level = [value]
    while level:
        below: list[Json] = []
        for container in level:
            if type(container) is dict:
                keys += len(container)
                below += container.values()
            elif type(container) is list:
                below += container
        level = below
    return keys


def _schema_or_array(value: Json) -> int:
    schema = structure("apiextensions/v1.JSONSchemaProps")
    if type(value) is list:
        return sum([keys_of(each, schema) for each in value])
    return keys_of(value, schema)


def _schema_or_bool(value: Json) -> int:
    return 0 if type(value) is bool else keys_of(value, structure("apiextensions/v1.JSONSchemaProps"))


def _schema_or_strings(value: Json) -> int:
    return _odd() if value else 0


_SPECIALS: Final[dict[str, Callable[[Json], int]]] = {
    "api/resource.Quantity": _amount,
    "apiextensions/v1.JSON": any_keys,
    "apiextensions/v1.JSONSchemaPropsOrArray": _schema_or_array,
    "apiextensions/v1.JSONSchemaPropsOrBool": _schema_or_bool,
    "apiextensions/v1.JSONSchemaPropsOrStringArray": _schema_or_strings,
    "meta/v1.FieldsV1": any_keys,
    "meta/v1.MicroTime": _precise_moment,
    "meta/v1.Time": _moment,
    "pkg/runtime.RawExtension": any_keys,
    "util/intstr.IntOrString": _int_or_string,
}
