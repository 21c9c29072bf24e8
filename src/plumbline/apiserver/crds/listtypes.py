"""Lists that are sets or maps may hold nothing twice."""

from plumbline.apiserver.crds.structural import Node
from plumbline.apiserver.fielderrors import FieldError, duplicate, invalid
from plumbline.base.json import Json, JsonObject, encode_sorted


def duplicate_errors(obj: JsonObject, root: Node) -> list[FieldError]:
    """One error for each item that is there again, at its second place."""
    errors: list[FieldError] = []
    if root.traits.keyed:
        _visit(obj, root, "", errors)
    return errors


def _visit(value: Json, node: Node, path: str, errors: list[FieldError]) -> None:
    if type(value) is dict:
        _visit_object(value, node, path, errors)
    elif type(value) is list:
        if node.list_type == "set":
            errors += [duplicate(f"{path}[{at}]", value[at]) for at in _second_places(value)]
        elif node.list_type == "map":
            errors += _map_errors(value, node, path)
        if node.items is not None and node.items.traits.keyed:
            for index, each in enumerate(value):
                _visit(each, node.items, f"{path}[{index}]", errors)


def _visit_object(value: JsonObject, node: Node, path: str, errors: list[FieldError]) -> None:
    additional = node.additional
    if additional is not None and additional.traits.keyed:
        for name, child in value.items():
            _visit(child, additional, f"{path}[{name}]", errors)
    for name, child in value.items():
        below = node.properties.get(name)
        if below is not None and below.traits.keyed:
            _visit(child, below, f"{path}.{name}" if path else name, errors)


def _map_errors(values: list[Json], node: Node, path: str) -> list[FieldError]:
    for index, each in enumerate(values):
        if each is not None and not isinstance(each, dict):
            return [invalid(f"{path}[{index}]", each, "must be an object for an array of list-type map")]
    keys = [{name: each[name] for name in node.map_keys if name in each} if each else {} for each in values]
    return [duplicate(f"{path}[{at}]", keys[at]) for at in _second_places(keys)]


def _second_places(values: list[Json]) -> list[int]:
    """The place of the second of those that are the same; a third is not told again."""
    times: dict[bytes, int] = {}
    places: list[int] = []
    for index, each in enumerate(values):
        form = encode_sorted(each)
        seen = times.get(form, 0)
        times[form] = seen + 1
        if seen == 1:
            places.append(index)
    return places
