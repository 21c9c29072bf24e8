"""Whether a value is valid, and nothing else: the quick question, which most objects answer with yes.

`validation` says what is wrong. The two agree on every value; a property test holds them to it.
"""

from typing import Final

from plumbline.apiserver.cel.floats import as_float
from plumbline.apiserver.cel.textformats import has_format
from plumbline.apiserver.crds.numbers import near_integer, number_errors
from plumbline.apiserver.crds.structural import Node
from plumbline.base.errors import BadExpression
from plumbline.base.json import Json, JsonObject
from plumbline.base.regex import compiled
from plumbline.kube.equality import identical

_INTEGERS: Final = 2**63
_LAST_POINT: Final = 0x10FFFF
TYPE_NAMES: Final = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array"}


def conforms(value: Json, node: Node) -> bool:
    """Whether *value* is valid under *node*."""
    if value is None:
        return (not node.types or node.nullable) and not node.enum
    kind = type(value)
    if kind is int and not -_INTEGERS <= value < _INTEGERS:
        return conforms(as_float(value), node)
    if node.accepts is not None and kind not in node.accepts and not _passes(value, node):
        return False
    if node.enum and not in_enum(value, node.enum):
        return False
    if kind is dict:
        if not _object_conforms(value, node):
            return False
    elif kind is list:
        if not _list_conforms(value, node):
            return False
    elif (node.traits.limited or kind is float) and not _scalar_conforms(value, node):
        return False
    return not node.traits.combined or _combinations_conform(value, node)


def _scalar_conforms(value: Json, node: Node) -> bool:
    if isinstance(value, str):
        return _text_conforms(value, node)
    return isinstance(value, bool) or not number_errors(value, node, "")


def _passes(value: Json, node: Node) -> bool:
    """A value of another type that the server takes all the same."""
    kind = type(value)
    if kind is float and "integer" in node.types and near_integer(value):
        return True
    if kind is int and "number" in node.types:
        return True
    # A string or a list is not asked for its type where its format is checked, of which a list has none.
    return (kind is str or kind is list) and node.format != "" and not ({"number", "integer"} & set(node.types))


def in_enum(value: Json, enum: tuple[Json, ...]) -> bool:
    """Numbers are compared in the type of the enum, and a number with a string as the character that it stands for."""
    kind = type(value)
    for each in enum:
        if each is None:
            continue
        if type(each) is kind:
            if identical(value, each):
                return True
        elif kind is int and type(each) is float:
            if as_float(value) == each:
                return True
        elif kind is float and type(each) is int:
            if int(value) == each:
                return True
        elif kind is int and type(each) is str and 0 <= value <= _LAST_POINT and chr(value) == each:
            return True
    return False


def _text_conforms(value: str, node: Node) -> bool:
    if node.max_length is not None and len(value) > node.max_length:
        return False
    if node.min_length is not None and len(value) < node.min_length:
        return False
    if node.pattern and not pattern_matches(value, node.pattern):
        return False
    return not node.format or node.types not in {(), ("string",)} or has_format(value, node.format)


def pattern_matches(value: str, pattern: str) -> bool:
    """A pattern that cannot be read matches nothing."""
    try:
        return compiled(pattern).matches(value)
    except BadExpression:
        return False


def _object_conforms(value: JsonObject, node: Node) -> bool:
    for name in node.required:
        if name not in value:
            return False
    if node.min_properties is not None and len(value) < node.min_properties:
        return False
    if node.max_properties is not None and len(value) > node.max_properties:
        return False
    properties = node.properties
    additional = node.additional
    for name, child in value.items():
        below = properties.get(name)
        if below is None:
            if not node.additional_allowed or (additional is not None and not conforms(child, additional)):
                return False
        elif not conforms(child, below):
            return False
    return True


def _list_conforms(value: list[Json], node: Node) -> bool:
    if node.min_items is not None and len(value) < node.min_items:
        return False
    if node.max_items is not None and len(value) > node.max_items:
        return False
    if node.unique_items and has_duplicates(value):
        return False
    items = node.items
    return items is None or all(conforms(each, items) for each in value)


def has_duplicates(values: list[Json]) -> bool:
    return any(identical(each, other) for index, each in enumerate(values) for other in values[:index])


def _combinations_conform(value: Json, node: Node) -> bool:
    if node.any_of and not any(conforms(value, each) for each in node.any_of):
        return False
    if node.one_of and sum(conforms(value, each) for each in node.one_of) != 1:
        return False
    if not all(conforms(value, each) for each in node.all_of):
        return False
    return node.not_of is None or not conforms(value, node.not_of)
