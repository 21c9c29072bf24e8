"""Field documentation, taken from where people write it: the string below the field, and the class docstring.

Read from source once per module, and only when a CRD is generated.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

_NOTHING: Final[Mapping[str, str]] = {}


def class_description(cls: type) -> str:
    """The class's own docstring; one that it merely inherits says nothing about it."""
    return inspect.cleandoc(cls.__dict__.get("__doc__") or "")


def field_descriptions(cls: type) -> Mapping[str, str]:
    """Python field names of *cls*, with those of its bases, and what is written below each."""
    merged: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith(("builtins", "msgspec")):
            merged |= _module_fields(base.__module__).get(base.__qualname__, _NOTHING)
    return merged


@cache
def _module_fields(module: str) -> Mapping[str, Mapping[str, str]]:
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return dict(_classes(tree, ""))


def _classes(node: ast.AST, prefix: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield prefix + child.name, dict(_fields(child))
            yield from _classes(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(child, f"{prefix}{child.name}.<locals>.")


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, below in zip(node.body, node.body[1:], strict=False):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        match below:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield statement.target.id, inspect.cleandoc(text)
            case _:
                pass
