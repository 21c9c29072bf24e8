"""Schemas as types of the expression language."""

from collections.abc import Mapping
from typing import Final

from plumbline.apiserver.cel.declarations import Field
from plumbline.apiserver.cel.escaping import escaped_name
from plumbline.apiserver.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    Type,
    list_of,
    map_of,
)
from plumbline.apiserver.crds.structural import Node

_SCALARS: Final = {"boolean": BOOL, "number": DOUBLE, "integer": INT}
FORMATS: Final = {"byte": BYTES, "duration": DURATION, "date": TIMESTAMP, "date-time": TIMESTAMP}
_TEXT: Final = Node({"type": "string"})
_METADATA: Final = Node(
    {"type": "object", "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}}}
)
SELF: Final = "selfType"


class RuleTypes:
    """Collects the structures that a schema declares, by name."""

    def __init__(self) -> None:
        self.structs: dict[str, Mapping[str, Field]] = {}

    def of(self, node: Node, *, resource: bool, name: str = SELF) -> Type | None:
        """None where expressions cannot see values of *node*. A *resource* has apiVersion, kind and metadata."""
        if node.int_or_string:
            return DYN
        if node.type == "array":
            items = (
                None if node.items is None else self.of(node.items, resource=node.items.embedded, name=f"{name}.@idx")
            )
            return None if items is None else list_of(items)
        if node.type == "object":
            return self._object(node, name, resource=resource)
        if node.type == "string":
            return FORMATS.get(node.format, STRING)
        return _SCALARS.get(node.type)

    def _object(self, node: Node, name: str, *, resource: bool) -> Type | None:
        if node.additional is not None and not resource:
            values = self.of(node.additional, resource=node.additional.embedded, name=f"{name}.@elem")
            return None if values is None else map_of(STRING, values)
        fields: dict[str, Field] = {}
        for key, below in properties_of(node, resource=resource).items():
            escaped = escaped_name(key)
            if escaped is None:
                continue
            declared = self.of(below, resource=below.embedded, name=f"{name}.{escaped}")
            if declared is not None:
                fields[escaped] = Field(declared, key)
        self.structs[name] = fields
        return Type("struct", name)


def properties_of(node: Node, *, resource: bool) -> Mapping[str, Node]:
    """What expressions can reach in an object; of a resource's metadata only the names, unless it says more."""
    properties = node.properties
    if not resource:
        return properties
    kind, version, metadata = (properties.get(name) for name in ("kind", "apiVersion", "metadata"))
    if kind is not None and version is not None and metadata is not None:
        names = [metadata.properties.get(name) for name in ("name", "generateName")]
        typed = kind.type == version.type == "string" and metadata.type == "object"
        if typed and all(each is not None and each.type == "string" for each in names):
            return properties
    return {**properties, "kind": _TEXT, "apiVersion": _TEXT, "metadata": _METADATA}
