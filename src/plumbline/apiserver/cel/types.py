"""The types of CEL, and when a value of one may stand where another is wanted."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Type(NamedTuple):
    """`kind` says which sort of type; `name` tells structures, opaque types and type parameters apart."""

    kind: str
    name: str = ""
    params: tuple["Type", ...] = ()

    def __str__(self) -> str:
        if self.kind == "null":
            return "null"
        if self.kind == "error":
            return "!error!"
        name = self.name or self.kind
        return f"{name}({', '.join(map(str, self.params))})" if self.params else name


DYN: Final = Type("dyn")
ERROR: Final = Type("error")
NULL: Final = Type("null")
BOOL: Final = Type("bool")
INT: Final = Type("int")
UINT: Final = Type("uint")
DOUBLE: Final = Type("double")
STRING: Final = Type("string")
BYTES: Final = Type("bytes")
TIMESTAMP: Final = Type("timestamp")
DURATION: Final = Type("duration")
TYPE: Final = Type("type")

IP: Final = Type("opaque", "net.IP")
CIDR: Final = Type("opaque", "net.CIDR")
QUANTITY: Final = Type("struct", "kubernetes.Quantity")
URL: Final = Type("struct", "kubernetes.URL")
FORMAT: Final = Type("struct", "kubernetes.NamedFormat")
SEMVER: Final = Type("struct", "kubernetes.Semver")

SIMPLE: Final[Mapping[str, Type]] = {
    each.name or each.kind: each
    for each in (DYN, BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION, TYPE, NULL)
}


def list_of(item: Type) -> Type:
    return Type("list", "", (item,))


def map_of(key: Type, value: Type) -> Type:
    return Type("map", "", (key, value))


def optional_of(value: Type) -> Type:
    return Type("opaque", "optional_type", (value,))


def type_of(value: Type) -> Type:
    return Type("type", "", (value,))


def unwrapped(each: Type) -> tuple[Type, bool]:
    """What an optional holds, and whether it is one."""
    return (each.params[0], True) if each.name == "optional_type" else (each, False)


class Bindings:
    """What type parameters stand for, found while overloads are tried. Trying is done on a copy."""

    def __init__(self, known: Mapping[Type, Type] | None = None) -> None:
        self.known: dict[Type, Type] = dict(known or {})

    def assignable(self, wanted: Type, given: Type) -> bool:
        return self.all_assignable((wanted,), (given,))

    def all_assignable(self, wanted: tuple[Type, ...], given: tuple[Type, ...]) -> bool:
        """Whether each fits; only then are the bindings that make it fit kept."""
        trial = Bindings(self.known)
        if len(wanted) != len(given) or not all(map(trial.fits, wanted, given)):
            return False
        self.known = trial.known
        return True

    def fits(self, first: Type, second: Type) -> bool:
        if second.kind == "param":
            valid, bound = self._bind(first, second)
            if valid or bound:
                return valid
        if first.kind == "param":
            return self._bind(second, first)[0]
        if first.kind in _ANYTHING or second.kind in _ANYTHING:
            return True
        if first.kind == "null":
            return second.kind in _NULLABLE
        if second.kind == "null":
            return first.kind in _NULLABLE
        if first.kind in {"opaque", "list", "map"}:
            same = (first.kind, first.name, len(first.params)) == (second.kind, second.name, len(second.params))
            return same and all(map(self.fits, first.params, second.params))
        return first.kind == second.kind and (first.kind == "type" or first.name == second.name)

    def _bind(self, value: Type, param: Type) -> tuple[bool, bool]:
        """Whether *param* may stand for *value*, and whether it stood for something before."""
        if value == param:
            return True, True
        bound = self.known.get(param)
        if bound is None:
            if self._mentions(param, value):
                return False, False
            self.known[param] = value
            return True, False
        if value == bound:
            return True, True
        if not self.fits(value, bound):
            return False, True
        general = value if _more_general(value, bound) else bound
        if not self._mentions(param, general):
            self.known[param] = general
        return True, True

    def _mentions(self, param: Type, within: Type) -> bool:
        if within == param:
            return True
        if within.kind == "param":
            bound = self.known.get(within)
            return bound is not None and self._mentions(param, bound)
        return any(self._mentions(param, each) for each in within.params)

    def resolved(self, each: Type, *, to_dyn: bool = False) -> Type:
        """*each* with what its parameters stand for; those that stand for nothing are dyn if *to_dyn*."""
        bound = self.known.get(each)
        if bound is not None:
            return self.resolved(bound, to_dyn=to_dyn)
        if each.kind == "param":
            return DYN if to_dyn else each
        if not each.params:
            return each
        return each._replace(params=tuple(self.resolved(inner, to_dyn=to_dyn) for inner in each.params))


_ANYTHING: Final = frozenset(("dyn", "error"))
_NULLABLE: Final = frozenset(("null", "opaque", "struct", "duration", "timestamp"))


def _more_general(first: Type, second: Type) -> bool:
    if first.kind in {"dyn", "param"}:
        return True
    if second.kind in {"dyn", "param"} or first.kind != second.kind:
        return False
    if first.kind in {"opaque", "list", "map"}:
        same = first.name == second.name and len(first.params) == len(second.params)
        return same and all(map(_more_general, first.params, second.params))
    return first.kind == "type" or first == second


def most_general(first: Type, second: Type) -> Type:
    return first if _more_general(first, second) else second
