"""What a parameter of some Go type takes."""

from collections.abc import Mapping
from typing import Final

from plumbline.gotemplate.nodes import Bool, Node, Number, String
from plumbline.gotemplate.values import INVALID, Failed, Int, Invalid, Strings, Typed, Value, type_name

_NAMES: Final[Mapping[str, str]] = {
    "any": "interface {}",
    "map": "map[string]interface {}",
    "list": "[]interface {}",
    "strings": "[]string",
    "time": "time.Time",
    "value": "reflect.Value",
}
_CLASSES: Final[Mapping[str, type]] = {
    "string": str, "int": Int, "int64": int, "float64": float, "bool": bool, "map": dict, "list": list,
    "strings": Strings,
}  # fmt: skip
_NILLABLE: Final = frozenset({"any", "value", "map", "list", "strings"})
_ZEROS: Final[Mapping[str, type]] = {"map": dict, "list": list, "strings": Strings}
_FLOATING: Final = frozenset(".eEpP")


def validated(value: Value, kind: str) -> Value:
    """*value* as a parameter of *kind* gets it. Raises Failed with Go's words."""
    if isinstance(value, Invalid):
        if not kind or kind == "value":
            return INVALID
        if kind not in _NILLABLE:
            raise Failed(f"invalid value; expected {_name(kind)}")
        return _ZEROS[kind]() if kind in _ZEROS else None
    if kind in {"", "any", "value"} or assignable(value, kind):
        return value
    raise Failed(
        f"wrong type for value; expected {_name(kind)}; got {type_name(value) if value is not None else 'interface {}'}"
    )


def assignable(value: Value, kind: str) -> bool:
    """Whether a Go variable of *kind* can hold *value*."""
    if isinstance(value, Typed):
        return value.type_name == _name(kind)
    return kind in {"any", "value"} or type(value) is _CLASSES.get(kind)


def prepared(value: Value, kind: str) -> Value:
    """As `validated`, by the rules of `call`: integers of another size will do. Raises Failed."""
    if value is None or isinstance(value, Invalid):
        if kind not in _NILLABLE:
            raise Failed(f"value is nil; should be of type {_name(kind)}")
        return _ZEROS[kind]() if kind in _ZEROS else None
    if assignable(value, kind):
        return value
    if kind in {"int", "int64"} and isinstance(value, int) and not isinstance(value, bool):
        return Int(value) if kind == "int" else int(value)
    raise Failed(f"value has type {type_name(value)}; should be {_name(kind)}")


def nillable(kind: str) -> bool:
    return not kind or kind in _NILLABLE


def _name(kind: str) -> str:
    return _NAMES.get(kind, kind)


def constant(node: Node, kind: str = "any") -> Value:
    """The value of a literal where *kind* is wanted. Raises Failed with Go's words."""
    if kind in {"any", "value"}:
        return _ideal(node)
    if kind == "bool" and isinstance(node, Bool):
        return node.true
    if kind == "string" and isinstance(node, String):
        return node.text
    if isinstance(node, Number):
        if kind in {"int", "int64"} and node.integer is not None:
            return Int(node.integer) if kind == "int" else node.integer
        if kind == "uint32" and node.integer is not None and node.integer >= 0:
            return node.integer
        if kind == "float64" and node.floating is not None:
            return node.floating
    wanted = {"int": "integer", "int64": "integer", "uint32": "unsigned integer", "float64": "float"}.get(kind, kind)
    if wanted in {"bool", "string", "integer", "unsigned integer", "float"}:
        raise Failed(f"expected {wanted}; found {node}")
    raise Failed(f"can't handle {node} for arg of type {_name(kind)}")


def _ideal(node: Node) -> Value:
    if isinstance(node, Bool):
        return node.true
    if isinstance(node, String):
        return node.text
    assert isinstance(node, Number)  # noqa: S101 - there are no other constants
    text = node.text
    hexadecimal = text[:2] in {"0x", "0X"} and not set(text) & set("pP")
    if node.imaginary is not None:
        raise Failed(f"complex numbers such as {text} are not supported")
    if node.floating is not None and not hexadecimal and not text.startswith("'") and set(text) & _FLOATING:
        return node.floating
    if node.integer is None:
        raise Failed(f"{text} overflows int")
    return Int(node.integer)
