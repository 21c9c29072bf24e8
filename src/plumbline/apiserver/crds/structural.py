"""A schema as a CRD declares it, compiled once into nodes that pruning, defaulting and validation walk.

Total over any JSON: what is no schema compiles as one that says nothing. Whether a schema may be served at all is for
the validation of its CRD to say.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from plumbline.apiserver.cel.textformats import supported_format
from plumbline.base.json import Json, JsonObject

META_FIELDS: Final = frozenset(("apiVersion", "kind", "metadata"))
PythonType: TypeAlias = type
PYTHON_TYPES: Final[Mapping[str, PythonType]] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "array": list,
}  # fmt: skip
UNSET: Final[Any] = object()
"""Where a schema has no default; null is none either, but an enum may hold it."""


class Node:
    """One schema. `types` has two for int-or-string; `additional` is None where values are not described."""

    __slots__ = (
        "accepts", "additional", "additional_allowed", "additional_set", "all_of", "any_of", "default", "embedded", "enum",
        "exclusive_maximum", "exclusive_minimum", "format", "int_or_string", "items", "list_type", "map_keys", "map_type",
        "max_items", "max_length", "max_properties", "maximum", "min_items", "min_length", "min_properties", "minimum",
        "multiple_of", "not_of", "nullable", "one_of", "pattern", "preserve", "properties", "required", "rules", "traits",
        "type", "types", "unique_items",
    )  # fmt: skip

    type: str
    types: tuple[str, ...]
    accepts: "frozenset[PythonType] | None"
    """Which of Python's types are of its `types`; None where it says nothing about types."""
    format: str
    nullable: bool
    default: Json
    properties: Mapping[str, "Node"]
    additional: "Node | None"
    additional_set: bool
    additional_allowed: bool
    items: "Node | None"
    preserve: bool
    embedded: bool
    int_or_string: bool
    list_type: str
    map_keys: tuple[str, ...]
    map_type: str
    rules: tuple[JsonObject, ...]
    enum: tuple[Json, ...]
    required: tuple[str, ...]
    pattern: str
    unique_items: bool
    maximum: float | None
    minimum: float | None
    multiple_of: float | None
    exclusive_maximum: bool
    exclusive_minimum: bool
    max_length: int | None
    min_length: int | None
    max_items: int | None
    min_items: int | None
    max_properties: int | None
    min_properties: int | None
    all_of: tuple["Node", ...]
    any_of: tuple["Node", ...]
    one_of: tuple["Node", ...]
    not_of: "Node | None"
    traits: "Traits"

    def __init__(self, schema: JsonObject) -> None:
        self._read_structure(schema)
        self._read_limits(schema)
        self._read_children(schema)
        self.traits = Traits(self)

    def _read_structure(self, schema: JsonObject) -> None:
        self.type = _text(schema.get("type"))
        self.int_or_string = schema.get("x-kubernetes-int-or-string") is True
        self.types = ("integer", "string") if self.int_or_string else (self.type,) if self.type else ()
        self.format = supported_format(self.types, _text(schema.get("format")))
        declared = bool(self.types or self.format)
        self.accepts = (
            frozenset(PYTHON_TYPES[each] for each in self.types if each in PYTHON_TYPES) if declared else None
        )
        self.nullable = schema.get("nullable") is True
        self.default = UNSET if schema.get("default") is None else schema["default"]
        self.preserve = schema.get("x-kubernetes-preserve-unknown-fields") is True
        self.embedded = schema.get("x-kubernetes-embedded-resource") is True
        self.list_type = _text(schema.get("x-kubernetes-list-type"))
        self.map_keys = _texts(schema.get("x-kubernetes-list-map-keys"))
        self.map_type = _text(schema.get("x-kubernetes-map-type"))
        self.rules = tuple(each for each in _list(schema.get("x-kubernetes-validations")) if isinstance(each, dict))

    def _read_limits(self, schema: JsonObject) -> None:
        self.enum = tuple(_list(schema.get("enum")))
        self.required = _texts(schema.get("required"))
        self.pattern = _text(schema.get("pattern"))
        self.unique_items = schema.get("uniqueItems") is True
        self.maximum, self.minimum = _number(schema.get("maximum")), _number(schema.get("minimum"))
        self.multiple_of = _number(schema.get("multipleOf"))
        self.exclusive_maximum = schema.get("exclusiveMaximum") is True
        self.exclusive_minimum = schema.get("exclusiveMinimum") is True
        self.max_length, self.min_length = _count(schema.get("maxLength")), _count(schema.get("minLength"))
        self.max_items, self.min_items = _count(schema.get("maxItems")), _count(schema.get("minItems"))
        self.max_properties = _count(schema.get("maxProperties"))
        self.min_properties = _count(schema.get("minProperties"))

    def _read_children(self, schema: JsonObject) -> None:
        properties = schema.get("properties")
        named = properties if isinstance(properties, dict) else {}
        self.properties = {name: Node(each) if isinstance(each, dict) else BLANK for name, each in named.items()}
        additional = schema.get("additionalProperties")
        self.additional_set = additional is not None
        self.additional_allowed = additional is not False
        self.additional = Node(additional) if isinstance(additional, dict) else None
        items = schema.get("items")
        self.items = Node(items) if isinstance(items, dict) else None
        self.all_of, self.any_of, self.one_of = (_nodes(schema.get(name)) for name in ("allOf", "anyOf", "oneOf"))
        negated = schema.get("not")
        self.not_of = Node(negated) if isinstance(negated, dict) else None

    def child(self, name: str) -> "Node | None":
        """What describes the field *name*: its own schema, or that of all further fields."""
        return self.properties.get(name) or self.additional

    def children(self) -> Iterator["Node"]:
        """The structural children; those under allOf and the like describe no new values."""
        yield from self.properties.values()
        for each in (self.additional, self.items):
            if each is not None:
                yield each

    @property
    def has_default(self) -> bool:
        return self.default is not UNSET


class Traits:
    """What a node, and mostly everything below it, has: whole branches can be passed by."""

    __slots__ = ("combined", "defaults", "embeds", "keyed", "limited", "rules")

    def __init__(self, node: Node) -> None:
        self.combined = bool(node.any_of or node.one_of or node.all_of or node.not_of is not None)
        self.limited = _limits_texts(node) if node.type == "string" or not node.type else _limits_numbers(node)
        below = [each.traits for each in node.children()]
        self.defaults: bool = any(each.has_default for each in node.children()) or any(each.defaults for each in below)
        self.embeds: bool = node.embedded or any(each.embeds for each in below)
        self.keyed: bool = node.list_type in {"set", "map"} or any(each.keyed for each in below)
        self.rules: bool = bool(node.rules) or any(each.rules for each in below)


def _limits_texts(node: Node) -> bool:
    """Whether a scalar of the right type may still be wrong; without a type it may be of any."""
    written = node.max_length is not None or node.min_length is not None or bool(node.pattern or node.format)
    return written or (not node.type and _limits_numbers(node))


def _limits_numbers(node: Node) -> bool:
    bounds = (node.maximum, node.minimum, node.multiple_of)
    return bool(node.format) or any(each is not None for each in bounds)


def compiled_schema(schema: Json) -> Node:
    """The root of a version's schema."""
    return Node(schema) if isinstance(schema, dict) else BLANK


def _nodes(value: Json) -> tuple[Node, ...]:
    return tuple(Node(each) if isinstance(each, dict) else BLANK for each in _list(value))


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(each for each in _list(value) if isinstance(each, str))


def _number(value: Json) -> float | None:
    return None if isinstance(value, bool) or not isinstance(value, int | float) else float(value)


def _count(value: Json) -> int | None:
    return None if isinstance(value, bool) or not isinstance(value, int) else value


BLANK: Final[Node] = Node({})
