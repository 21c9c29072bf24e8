"""How large values can be under a schema, so that the cost of a rule can be bounded before there is any value."""

from collections.abc import Mapping
from typing import Final

from plumbline.apiserver.cel.escaping import escaped_name
from plumbline.apiserver.crds.rule_types import properties_of
from plumbline.apiserver.crds.structural import Node

REQUEST_BYTES: Final = 3 * 1024 * 1024
"""The largest object that the server takes."""
_WHOLE_TEXT: Final = REQUEST_BYTES - 2
_FORMATS: Final = {"duration": (32, 3), "date": (12, 12), "date-time": (32, 21)}
_LEAST: Final = {"boolean": 4, "number": 1, "integer": 1}


class RuleSize:
    """`most` is the size at most, `least_bytes` how short it can be written."""

    __slots__ = ("_inside", "least_bytes", "most")

    def __init__(self, most: int, least_bytes: int, inside: "Mapping[str, RuleSize] | None" = None) -> None:
        self.most = most
        self.least_bytes = least_bytes
        self._inside = inside or {}

    def inside(self, name: str) -> "RuleSize | None":
        return self._inside.get(name)


_KEY: Final = RuleSize(0, 2)


def rule_size(node: Node, *, resource: bool) -> RuleSize | None:
    """None where expressions cannot see values of *node*."""
    if node.int_or_string:
        return RuleSize(_WHOLE_TEXT if node.max_length is None else max(node.max_length, 0) * 4, 1)
    if node.type == "array":
        items = None if node.items is None else rule_size(node.items, resource=node.items.embedded)
        if items is None:
            return None
        most = _WHOLE_TEXT // (items.least_bytes + 1) if node.max_items is None else max(node.max_items, 0)
        return RuleSize(most, 2, {"@items": items, "@values": items})
    if node.type == "object":
        return _object_size(node, resource=resource)
    if node.type == "string":
        return _text_size(node)
    least = _LEAST.get(node.type)
    return None if least is None else RuleSize(0, least)


def _object_size(node: Node, *, resource: bool) -> RuleSize | None:
    if node.additional is not None and not resource:
        values = rule_size(node.additional, resource=node.additional.embedded)
        if values is None:
            return None
        limit = node.max_properties
        most = _WHOLE_TEXT // (values.least_bytes + 6) if limit is None else max(limit, 0)
        return RuleSize(most, 2, {"@items": values, "@values": values, "@keys": _KEY})
    fields: dict[str, RuleSize] = {}
    least = 2
    for name, below in properties_of(node, resource=resource).items():
        size = rule_size(below, resource=below.embedded)
        if size is None:
            continue
        escaped = escaped_name(name)
        if escaped is not None:
            fields[escaped] = size
        if name in node.required and not below.has_default:
            least += len(name.encode()) + size.least_bytes + 4
    return RuleSize(0, least, fields)


def _text_size(node: Node) -> RuleSize:
    if node.format == "byte":
        return RuleSize(_WHOLE_TEXT if node.max_length is None else max(node.max_length, 0), 2)
    if node.format in _FORMATS:
        return RuleSize(*_FORMATS[node.format])
    if node.max_length is not None:
        return RuleSize(max(node.max_length, 0) * 4, 2)
    if node.enum:
        return RuleSize(max((len(each.encode()) for each in node.enum if isinstance(each, str)), default=0), 2)
    return RuleSize(_WHOLE_TEXT, 2)
