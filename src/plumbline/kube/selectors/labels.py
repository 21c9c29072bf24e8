"""Label selectors, as text (`a=b,c in (d,e),!f`) and as objects (`matchLabels`, `matchExpressions`)."""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Final, NamedTuple

from plumbline.base.errors import BadSelector
from plumbline.base.json import Json, encode
from plumbline.kube.gotext import printed, quoted
from plumbline.kube.spelling import label_key_faults, label_value_faults


class Operator(Enum):
    IN = "in"
    NOT_IN = "notin"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_EQUALS = "!="
    GREATER_THAN = "gt"
    LESS_THAN = "lt"
    EXISTS = "exists"
    DOES_NOT_EXIST = "!"


_SETS: Final = frozenset({Operator.IN, Operator.NOT_IN})
_UNARY: Final = frozenset({Operator.EXISTS, Operator.DOES_NOT_EXIST})
_ORDERED: Final = frozenset({Operator.GREATER_THAN, Operator.LESS_THAN})
_WANTED: Final = frozenset({Operator.IN, Operator.EQUALS, Operator.DOUBLE_EQUALS})
_UNWANTED: Final = frozenset({Operator.NOT_IN, Operator.NOT_EQUALS})

_BETWEEN: Final = {
    Operator.IN: " in ",
    Operator.NOT_IN: " notin ",
    Operator.GREATER_THAN: ">",
    Operator.LESS_THAN: "<",
}
_WRITTEN: Final = {
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
    "=": Operator.EQUALS,
    "==": Operator.DOUBLE_EQUALS,
    "!=": Operator.NOT_EQUALS,
    ">": Operator.GREATER_THAN,
    "<": Operator.LESS_THAN,
}
_NAMED: Final = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}")
_INT64: Final = range(-(2**63), 2**63)


class Requirement(NamedTuple):
    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        operator = self.operator
        if operator in _WANTED:
            return value is not None and value in self.values
        if operator in _UNWANTED:
            return value is None or value not in self.values
        if operator is Operator.EXISTS:
            return value is not None
        if operator is Operator.DOES_NOT_EXIST:
            return value is None
        return self._in_order(_integer(value or ""))

    def _in_order(self, value: int | None) -> bool:
        bound = _integer(self.values[0])
        if value is None or bound is None:
            return False
        return value > bound if self.operator is Operator.GREATER_THAN else value < bound

    def __str__(self) -> str:
        if self.operator is Operator.EXISTS:
            return self.key
        if self.operator is Operator.DOES_NOT_EXIST:
            return f"!{self.key}"
        values = ",".join(sorted(self.values))
        between = _BETWEEN.get(self.operator, self.operator.value)
        return f"{self.key}{between}({values})" if self.operator in _SETS else f"{self.key}{between}{values}"


class LabelSelector:
    """All of its requirements must hold; without any it selects everything, unless it is `NOTHING`."""

    __slots__ = ("_others", "_pairs", "requirements", "selectable")

    def __init__(self, requirements: tuple[Requirement, ...], *, selectable: bool = True) -> None:
        self.requirements = tuple(sorted(requirements, key=lambda requirement: requirement.key))
        self.selectable = selectable
        self._pairs = tuple((held.key, held.values[0]) for held in self.requirements if _exact(held))
        self._others = tuple(held for held in self.requirements if not _exact(held))

    @classmethod
    def parse(cls, text: str) -> "LabelSelector":
        """Read the query parameter's form, or raise BadSelector with the API server's reason."""
        return cls(tuple(_Reader(text).requirements()))

    @classmethod
    def from_object(cls, value: Json) -> "LabelSelector":
        """Read the form that objects hold: null selects nothing, an empty object everything."""
        if value is None:
            return NOTHING
        wanted, expressions = _object_parts(value)
        requirements = [_checked(key, Operator.EQUALS, (_label(wanted[key]),)) for key in wanted]
        requirements += map(_expression, expressions)
        return cls(tuple(requirements))

    @classmethod
    def from_labels(cls, labels: Mapping[str, str]) -> "LabelSelector":
        """What a Service selects by: exactly these labels, taken without checking."""
        return cls(tuple(Requirement(key, Operator.EQUALS, (value,)) for key, value in labels.items()))

    def matches(self, labels: Mapping[str, str]) -> bool:
        if not self.selectable:
            return False
        for key, value in self._pairs:
            if labels.get(key) != value:
                return False
        return all(requirement.matches(labels) for requirement in self._others)

    def required_value(self, key: str) -> str | None:
        """The one value that every selected object has under *key*, where the selector says so."""
        return next((value for name, value in self._pairs if name == key), None)

    @property
    def empty(self) -> bool:
        """Whether it selects everything."""
        return self.selectable and not self.requirements

    def __str__(self) -> str:
        """As the API server prints it."""
        return ",".join(map(str, self.requirements))

    def __repr__(self) -> str:
        return f"LabelSelector({str(self)!r})" if self.selectable else "NOTHING"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSelector):
            return NotImplemented
        return (self.requirements, self.selectable) == (other.requirements, other.selectable)

    def __hash__(self) -> int:
        return hash((self.requirements, self.selectable))


EVERYTHING: Final = LabelSelector(())
NOTHING: Final = LabelSelector((), selectable=False)


class _Reader:
    """Recursive descent over the words of a selector. `in` and `notin` are operators only where one can stand."""

    _WORD: Final = re.compile(r"==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+")
    _SYMBOLS: Final = frozenset({"=", "==", "!=", "!", "(", ")", ",", "<", ">", ""})

    def __init__(self, text: str) -> None:
        self._words = [*self._WORD.findall(text), ""]
        self._at = 0

    def requirements(self) -> Iterator[Requirement]:
        while self._next != "":
            if self._next in self._SYMBOLS - {"!"}:
                raise _unexpected(self._next, "!, identifier, or 'end of string'")
            try:
                yield self._requirement()
            except BadSelector as fault:
                raise _bad(f"unable to parse requirement: {fault.what}") from fault
            self._end_requirement()

    def _end_requirement(self) -> None:
        word = self._take()
        if word not in {"", ","}:
            raise _unexpected(word, "',' or 'end of string'")
        if word == "," and self._next in self._SYMBOLS - {"!"}:
            raise _unexpected(self._next, "identifier after ','")
        if not word:
            self._at -= 1

    def _requirement(self) -> Requirement:
        negated = self._next == "!"
        if negated:
            self._take()
        key = self._take()
        if key in self._SYMBOLS:
            raise _unexpected(key, "identifier")
        if faults := label_key_faults(key):
            raise _bad(f"<nil>: Invalid value: {quoted(key)}: {'; '.join(faults)}")
        if negated:
            return Requirement(key, Operator.DOES_NOT_EXIST)
        if self._next in {"", ","}:
            return Requirement(key, Operator.EXISTS)
        return self._comparison(key)

    def _comparison(self, key: str) -> Requirement:
        word = self._take()
        operator = _WRITTEN.get(word)
        if operator is None:
            raise _unexpected(word, "in, notin, =, ==, !=, gt, lt")
        values = self._set() if operator in _SETS else (self._value(),)
        return _checked(key, operator, values)

    def _value(self) -> str:
        if self._next in {"", ","}:
            return ""
        word = self._take()
        if word in self._SYMBOLS:
            raise _unexpected(word, "identifier")
        return word

    def _set(self) -> tuple[str, ...]:
        word = self._take()
        if word != "(":
            raise _bad(f"found '{word}' expected: '('")
        if self._next in self._SYMBOLS - {",", ")"}:
            raise _unexpected(self._next, "',', ')' or identifier")
        values: set[str] = set()
        while True:
            # A comma with nothing on one side stands for the empty value.
            value = "" if self._next in {",", ")"} else self._value()
            values.add(value)
            word = self._take()
            if word == ")":
                return tuple(sorted(values))
            if word != ",":
                raise _unexpected(word, "',' or ')'")
            if self._next in self._SYMBOLS - {",", ")"}:
                raise _unexpected(self._next, "',', or identifier")

    @property
    def _next(self) -> str:
        return self._words[self._at]

    def _take(self) -> str:
        self._at += 1
        return self._words[self._at - 1]


def _exact(requirement: Requirement) -> bool:
    return requirement.operator in _WANTED and len(requirement.values) == 1


def _checked(key: str, operator: Operator, values: tuple[str, ...]) -> Requirement:
    faults = [f"key: Invalid value: {quoted(key)}: {'; '.join(found)}" for found in [label_key_faults(key)] if found]
    faults += _operator_faults(operator, values)
    for index, value in enumerate(values):
        if found := label_value_faults(value):
            faults.append(f"values[{index}][{key}]: Invalid value: {quoted(value)}: {'; '.join(found)}")
    if faults:
        distinct = list(dict.fromkeys(faults))
        raise _bad(distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]")
    return Requirement(key, operator, values)


def _operator_faults(operator: Operator, values: tuple[str, ...]) -> Iterator[str]:
    shown = encode(values).decode() if values else "null"
    if operator in _SETS and not values:
        yield f"values: Invalid value: {shown}: for 'in', 'notin' operators, values set can't be empty"
    if operator in _UNARY and values:
        yield f"values: Invalid value: {shown}: values set must be empty for exists and does not exist"
    if operator in _ORDERED and _integer(values[0]) is None:
        yield f"values[0]: Invalid value: {quoted(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer"


def _object_parts(value: Json) -> tuple[Mapping[str, Json], list[Json]]:
    wanted, expressions = (
        (value.get("matchLabels") or {}, value.get("matchExpressions") or [])
        if isinstance(value, dict)
        else (None, None)
    )
    if not isinstance(wanted, dict) or not isinstance(expressions, list):
        raise _bad("a label selector holds an object matchLabels and a list matchExpressions")
    return wanted, expressions


def _expression(value: Json) -> Requirement:
    if not isinstance(value, dict) or not isinstance(value.get("values") or [], list):
        raise _bad("a label selector requirement holds a key, an operator and a list of values")
    operator = _NAMED.get(_label(value.get("operator", "")))
    if operator is None:
        raise _bad(f"{quoted(value.get('operator', ''))} is not a valid label selector operator")
    return _checked(_label(value.get("key", "")), operator, tuple(map(_label, value.get("values") or [])))


def _label(value: Json) -> str:
    if not isinstance(value, str):
        raise _bad(f"found '{printed(value)}', expected: a string", hint="Quote numbers and booleans.")
    return value


def _integer(text: str) -> int | None:
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if number in _INT64 else None


def _unexpected(word: str, expected: str) -> BadSelector:
    return _bad(f"found '{word}', expected: {expected}")


def _bad(what: str, hint: str = "") -> BadSelector:
    return BadSelector(what, hint=hint or "Write label selectors as a=b, a!=b, a in (b,c), a notin (b), a or !a.")
