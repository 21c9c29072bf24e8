"""Filling in what a schema says where an object is silent."""

from plumbline.apiserver.crds.structural import Node
from plumbline.base.json import Json, JsonObject


def defaulted(obj: JsonObject, root: Node) -> JsonObject:
    """*obj* with the defaults of its schema, also inside of defaults. They are shared: nobody changes objects in place."""
    filled: JsonObject = _filled(obj, root)
    return filled


def _filled(value: Json, node: Node) -> Json:
    if not node.traits.defaults:
        return value
    if type(value) is dict:
        return _filled_object(value, node)
    if type(value) is list and node.items is not None:
        items = node.items
        filled = [_filled_item(each, items) for each in value]
        return filled if any(new is not old for new, old in zip(filled, value, strict=True)) else value
    return value


def _filled_object(value: JsonObject, node: Node) -> JsonObject:
    changes: JsonObject = {}
    properties = node.properties
    for name, below in properties.items():
        child = value.get(name)
        if child is None and below.has_default and (name not in value or not below.nullable):
            child = below.default
            changes[name] = filled = _filled(child, below)
        elif type(child) is dict or type(child) is list:
            filled = _filled(child, below)
            if filled is not child:
                changes[name] = filled
    if node.additional is not None:
        additional = node.additional
        for name, child in value.items():
            if name not in properties:
                filled = _filled_item(child, additional)
                if filled is not child:
                    changes[name] = filled
    return {**value, **changes} if changes else value


def _filled_item(value: Json, node: Node) -> Json:
    if value is None and node.has_default and not node.nullable:
        return _filled(node.default, node)
    return _filled(value, node)
