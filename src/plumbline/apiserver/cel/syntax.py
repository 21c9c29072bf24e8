"""Expressions as trees. `at` is the place that errors about a node point at."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from plumbline.apiserver.cel.types import Type


@dataclass(slots=True)
class Literal:
    at: int
    value: Any
    type: Type


@dataclass(slots=True)
class Ident:
    at: int
    name: str


@dataclass(slots=True)
class Select:
    at: int
    operand: "Expr"
    field: str
    test: bool = False
    """Only asks whether the field is there: `has(a.b)`."""
    optional: bool = False
    """`a.?b`."""
    qualified: str = ""
    """The variable that the whole path names, where it names one."""


@dataclass(slots=True)
class Call:
    """Operators are calls too. `target` is None for functions that are no methods."""

    at: int
    function: str
    args: list["Expr"]
    target: "Expr | None" = None


@dataclass(slots=True)
class ListExpr:
    at: int
    items: list["Expr"]
    optional: frozenset[int] = frozenset()


@dataclass(slots=True)
class Entry:
    key: "Expr"
    value: "Expr"
    optional: bool


@dataclass(slots=True)
class MapExpr:
    at: int
    entries: list[Entry]


@dataclass(slots=True)
class StructExpr:
    at: int
    name: str
    fields: list[tuple[str, "Expr"]]


@dataclass(slots=True)
class Fold:
    """A macro that goes through a list or map. With `second` the variables are index and item, or key and value."""

    at: int
    kind: str
    range: "Expr"
    first: str
    second: str
    predicate: "Expr | None"
    transform: "Expr | None"


@dataclass(slots=True)
class Bind:
    """A value with a name: of what an optional holds (`optMap`), or of a list that is to be sorted."""

    at: int
    kind: str
    operand: "Expr"
    name: str
    body: "Expr"


Expr: TypeAlias = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Fold | Bind


def qualified_name(expr: Expr) -> str:
    """`a.b.c` as one name; empty where it is no such path."""
    if isinstance(expr, Ident):
        return expr.name
    if isinstance(expr, Select) and not expr.test and not expr.optional:
        operand = qualified_name(expr.operand)
        return f"{operand}.{expr.field}" if operand else ""
    return ""
