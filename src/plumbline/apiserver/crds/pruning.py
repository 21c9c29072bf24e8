"""Dropping what a schema does not know, and null where a schema does not want it."""

from plumbline.apiserver.crds.structural import META_FIELDS, Node
from plumbline.base.json import Json, JsonObject


def pruned(obj: JsonObject, root: Node) -> JsonObject:
    """*obj* without the fields that *root* does not describe; apiVersion, kind and metadata are none of its business."""
    return _object(obj, root, embedded=True, keep=root.preserve)


def unknown_fields(obj: JsonObject, root: Node) -> list[str]:
    """The paths that `pruned` drops, sorted."""
    found: list[str] = []
    _collect_object(obj, root, "", found, embedded=True)
    return sorted(found)


def without_nulls(obj: JsonObject, root: Node) -> JsonObject:
    """*obj* without the nulls that its schema neither allows nor replaces by a default."""
    kept: JsonObject = _without_nulls(obj, root)
    return kept


def pruned_value(value: Json, node: Node | None) -> Json:
    """A value somewhere below the root."""
    if type(value) is dict:
        if node is None:
            return {} if value else value
        return _object(value, node, embedded=node.embedded, keep=node.preserve)
    if type(value) is list:
        if node is not None and node.preserve:
            return _kept_items(value, node.items)
        items = None if node is None else node.items
        kept = [pruned_value(each, items) for each in value]
        return kept if any(new is not old for new, old in zip(kept, value, strict=True)) else value
    return value


def _object(value: JsonObject, node: Node, *, embedded: bool, keep: bool) -> JsonObject:
    """*keep* leaves undescribed fields alone; what is described is pruned all the same."""
    properties = node.properties
    changes: JsonObject = {}
    dropped: list[str] = []
    for name, child in value.items():
        if embedded and name in META_FIELDS:
            continue
        below = properties.get(name)
        if below is not None or node.additional_set:
            if type(child) is dict or type(child) is list:
                kept = pruned_value(child, node.additional if below is None else below)
                if kept is not child:
                    changes[name] = kept
        elif not keep:
            dropped.append(name)
    if not changes and not dropped:
        return value
    result = {**value, **changes}
    for name in dropped:
        del result[name]
    return result


def _kept_items(values: list[Json], items: Node | None) -> list[Json]:
    """Items of a list that preserves: its items inherit that, whatever they say themselves."""
    if items is None:
        return values
    kept = [_kept(each, items) for each in values]
    return kept if any(new is not old for new, old in zip(kept, values, strict=True)) else values


def _kept(value: Json, node: Node) -> Json:
    if type(value) is dict:
        return _object(value, node, embedded=node.embedded, keep=True)
    return _kept_items(value, node.items) if type(value) is list else value


def _collect(value: Json, node: Node | None, path: str, found: list[str]) -> None:
    if type(value) is dict:
        if node is None:
            found.extend(_joined(path, name) for name in value)
        else:
            _collect_object(value, node, path, found, embedded=node.embedded)
    elif type(value) is list:
        items = None if node is None else node.items
        if node is not None and node.preserve:
            _collect_kept_items(value, items, path, found)
            return
        for index, each in enumerate(value):
            _collect(each, items, f"{path}[{index}]", found)


def _collect_object(
    value: JsonObject, node: Node, path: str, found: list[str], *, embedded: bool, keep: bool | None = None
) -> None:
    keeps = node.preserve if keep is None else keep
    for name, child in value.items():
        if embedded and name in META_FIELDS:
            continue
        below = node.properties.get(name)
        if below is not None or node.additional_set:
            _collect(child, node.additional if below is None else below, _joined(path, name), found)
        elif not keeps and (path or name not in META_FIELDS):
            found.append(_joined(path, name))


def _collect_kept_items(values: list[Json], items: Node | None, path: str, found: list[str]) -> None:
    if items is None:
        return
    for index, each in enumerate(values):
        place = f"{path}[{index}]"
        if type(each) is dict:
            _collect_object(each, items, place, found, embedded=items.embedded, keep=True)
        elif type(each) is list:
            _collect_kept_items(each, items.items, place, found)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _without_nulls(value: Json, node: Node | None) -> Json:
    if node is None:
        return value
    if type(value) is dict:
        return _object_without_nulls(value, node)
    if type(value) is list and node.items is not None:
        kept = [_without_nulls(each, node.items) for each in value]
        return kept if any(new is not old for new, old in zip(kept, value, strict=True)) else value
    return value


def _object_without_nulls(value: JsonObject, node: Node) -> JsonObject:
    properties = node.properties
    changes: JsonObject = {}
    dropped: list[str] = []
    for name, child in value.items():
        if child is None:
            below = properties.get(name) or node.additional
            if below is not None and not below.nullable and not below.has_default:
                dropped.append(name)
        elif type(child) is dict or type(child) is list:
            kept = _without_nulls(child, properties.get(name) or node.additional)
            if kept is not child:
                changes[name] = kept
    if not changes and not dropped:
        return value
    result = {**value, **changes}
    for name in dropped:
        del result[name]
    return result
