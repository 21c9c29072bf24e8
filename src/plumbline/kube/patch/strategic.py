"""Strategic merge patch: a merge patch that knows, from the schema, which lists are merged and by which key.

The result is what upstream's own function returns before the object is decoded into its type: directives and nulls
within added list items and replaced lists are still there, and go when the object is pruned to its schema. Where one
patch both deletes from a list of scalars and adds to it, it deletes first; upstream does now this and now that.
"""

from typing import Final

from plumbline.base.errors import BadPatch, InapplicablePatch
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import printed, quoted
from plumbline.kube.patch.ordering import DELETE, DIRECTIVE, check_order, key_of, no_merge_key, reordered, wrong_type
from plumbline.kube.schema.shape import Shape

_REPLACE: Final = "replace"
_MERGE: Final = "merge"
_RETAIN_KEYS: Final = "$retainKeys"
_DELETE_FROM: Final = "$deleteFromPrimitiveList"
_SET_ORDER: Final = "$setElementOrder"


def strategic_patch(target: Json, patch: Json, shape: Shape) -> JsonObject:
    """*target* with *patch* merged into it, or BadPatch; InapplicablePatch where it does not fit *target* or *shape*."""
    if not isinstance(target, dict) or not isinstance(patch, dict):
        raise BadPatch("invalid JSON document")
    return _merged_map(target, patch, shape)


def _merged_map(original: JsonObject, patch: JsonObject, shape: Shape) -> JsonObject:
    if DIRECTIVE in patch:
        return _directed(patch)
    merged = dict(original)
    remaining = dict(patch)
    if _RETAIN_KEYS in remaining:
        _retain(merged, remaining)
    for key in patch:
        if key.startswith(_SET_ORDER):
            _reorder(merged, remaining, key, shape)
    for key in [*remaining]:
        if key.startswith(_DELETE_FROM):
            _delete_from(merged, _after_prefix(key, _DELETE_FROM), remaining.pop(key), shape)
    for key, value in remaining.items():
        if value is None:
            merged.pop(key, None)
        elif type(merged.get(key)) is not type(value):
            _take(merged, key, value)
        elif isinstance(value, dict):
            child = _child(shape, key)
            merged[key] = value if child.patch_replaces else _merged_map(merged[key], value, child)
        elif isinstance(value, list):
            merged[key] = _merged_list(merged[key], value, _child(shape, key))
        else:
            merged[key] = value
    return merged


def _directed(patch: JsonObject) -> JsonObject:
    directive = patch[DIRECTIVE]
    if directive == _REPLACE:
        return {key: value for key, value in patch.items() if key != DIRECTIVE}
    if directive == DELETE:
        return {}
    raise _unknown_directive(patch)


def _retain(merged: JsonObject, remaining: JsonObject) -> None:
    """Keep only the fields that the directive lists, which must be all that the patch sets."""
    listed = remaining.pop(_RETAIN_KEYS)
    if not isinstance(listed, list):
        raise BadPatch("invalid patch format of retainKeys")
    retained = {key for key in listed if isinstance(key, str)}
    for key, value in remaining.items():
        if value is not None and key not in retained and not key.startswith((_DELETE_FROM, _SET_ORDER)):
            raise BadPatch("invalid patch format of retainKeys")
    for key in merged.keys() - retained:
        del merged[key]


def _reorder(merged: JsonObject, remaining: JsonObject, directive: str, shape: Shape) -> None:
    """Merge one list together with the order that the patch asks for, and take both out of the patch."""
    order = _typed_list(remaining.pop(directive))
    key = _after_prefix(directive, _SET_ORDER)
    there = _typed_list(merged[key]) if key in merged else None
    coming = _typed_list(remaining[key]) if key in remaining else None
    child = _child(shape, key)
    merge_key = child.patch_keys[0] if child.patch_keys else ""
    check_order(coming or [], order, merge_key)
    if there is None and coming is None:
        return
    live = there or []
    if coming is None:
        items = live
    elif there is None:
        items = [item for item in map(_without_directives, coming) if item is not _DROPPED]
    else:
        items = _merged_list(live, coming, child)
        if merge_key:
            live = _slots(live, coming, merge_key)
    _element_type(there or [], coming or [])
    merged[key] = reordered(items, order, live, merge_key)
    remaining.pop(key, None)


def _slots(live: list[Json], patch: list[Json], merge_key: str) -> list[Json]:
    """The live items as upstream sees them when it orders: added ones, having taken the room of deleted ones, count."""
    if any(item.get(DIRECTIVE) == _REPLACE for item in patch):
        return live
    kept, plain = _without_special_items(live, patch, merge_key)
    known = {key_of(item.get(merge_key)) for item in kept}
    added = [item for item in plain if key_of(item.get(merge_key)) not in known]
    return [*kept, *added][: len(live)]


def _delete_from(merged: JsonObject, key: str, value: Json, shape: Shape) -> None:
    there = merged.get(key)
    if value is None:
        merged.pop(key, None)
    elif isinstance(value, list) and isinstance(there, list) and (there or value):
        child = _child(shape, key)
        if _element_type(there, value) is dict:
            merged[key] = _merged_items(there, value, child)
        else:
            unwanted = set(value)
            merged[key] = [item for item in there if item not in unwanted]


def _take(merged: JsonObject, key: str, value: Json) -> None:
    """Set what cannot be merged, less its nulls and directives."""
    taken = _without_directives(_without_nulls(value))
    if taken is _DROPPED:
        merged.pop(key, None)
    else:
        merged[key] = taken


def _merged_list(original: list[Json], patch: list[Json], shape: Shape) -> list[Json]:
    if not shape.patch_keys:
        return patch
    if not original and not patch:
        return original
    return _merged_items(original, patch, shape)


def _merged_items(original: list[Json], patch: list[Json], shape: Shape) -> list[Json]:
    merge_key = shape.patch_keys[0] if shape.patch_keys else ""
    if _element_type(original, patch) is not dict:
        return reordered([*dict.fromkeys([*original, *patch])], patch, original, merge_key)
    if not merge_key:
        raise InapplicablePatch("cannot merge lists without merge key for struct")
    original, patch = _without_special_items(original, patch, merge_key)
    return reordered(_merged_by_key(original, patch, merge_key, shape.values), patch, original, merge_key)


def _without_special_items(original: list[Json], patch: list[Json], merge_key: str) -> tuple[list[Json], list[Json]]:
    """The live items that stay, and the patch's items that are to be merged with them."""
    plain: list[Json] = []
    replace = False
    for item in patch:
        if DIRECTIVE not in item:
            plain.append(item)
        elif item[DIRECTIVE] == DELETE:
            if merge_key not in item:
                raise no_merge_key(item, merge_key)
            unwanted = key_of(item[merge_key])
            original = [live for live in original if merge_key not in live or key_of(live[merge_key]) != unwanted]
        elif item[DIRECTIVE] == _REPLACE:
            replace = True
        elif item[DIRECTIVE] == _MERGE:
            raise InapplicablePatch("merging lists cannot yet be specified in the patch")
        else:
            raise _unknown_directive(item)
    return (plain, []) if replace else (original, plain)


def _merged_by_key(original: list[Json], patch: list[Json], merge_key: str, shape: Shape) -> list[Json]:
    merged = list(original)
    places: dict[Json, int] = {}
    for place, item in enumerate(merged):
        if merge_key in item:
            places.setdefault(key_of(item[merge_key]), place)
    for item in patch:
        if merge_key not in item:
            raise no_merge_key(item, merge_key)
        key = key_of(item[merge_key])
        if key in places:
            merged[places[key]] = _merged_map(merged[places[key]], item, shape)
        else:
            places[key] = len(merged)
            merged.append(item)
    return merged


def _child(shape: Shape, key: str) -> Shape:
    child = shape.child(key)
    if child is None:
        struct = f"struct {shape.name}" if shape.name else "struct"
        raise InapplicablePatch(f"unable to find api field in {struct} for the json field {quoted(key)}")
    return child


def _typed_list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise wrong_type("[]interface {}", value)
    return value


def _after_prefix(directive: str, prefix: str) -> str:
    head, slash, key = directive.partition("/")
    if head == prefix and slash:
        return key
    named = "primitive list" if prefix == _DELETE_FROM else "setElementOrder list"
    raise BadPatch(f"invalid patch format of {named}")


def _element_type(*lists: list[Json]) -> type[Json]:
    """The one type of all items; upstream tells int64 and float64 apart, and so does this."""
    types = {type(item) for items in lists for item in items}
    if len(types) == 1 and types != {type(None)}:
        (only,) = types
        if only is list:
            raise InapplicablePatch("lists of lists are not supported")
        return only
    if not types:
        raise InapplicablePatch("no elements in any of the given slices")
    raise InapplicablePatch("list element types are not identical", why=printed(list(lists)))


_DROPPED: Final = object()


def _without_directives(value: Json) -> Json:
    """*value* less the objects in it that are directives; _DROPPED if it is one itself."""
    if isinstance(value, dict):
        if DIRECTIVE in value:
            return _DROPPED
        kept = ((key, _without_directives(below)) for key, below in value.items())
        return {key: below for key, below in kept if below is not _DROPPED}
    if isinstance(value, list):
        return [item for item in map(_without_directives, value) if item is not _DROPPED]
    return value


def _without_nulls(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _without_nulls(below) for key, below in value.items() if below is not None}
    return list(map(_without_nulls, value)) if isinstance(value, list) else value


def _unknown_directive(item: JsonObject) -> InapplicablePatch:
    return InapplicablePatch(f"unknown patch type: {printed(item[DIRECTIVE])} in map: {printed(item)}")
