"""Setting a value by merging it with what is there, by the rules of the merge library that Crossplane uses.

They are not those of any patch: empty values (`""`, `0`, `false`, `[]`, `{}`) count as absent, and items of nested
lists are appended even where they repeat.
"""

from typing import NamedTuple

from plumbline.base.errors import FieldNotFound, InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical
from plumbline.kube.fieldpath.path import FieldPath
from plumbline.kube.fieldpath.walk import get_path, set_path
from plumbline.kube.gotext import type_name


class MergeOptions(NamedTuple):
    keep_map_values: bool = False
    """What is there wins over what comes."""
    append_slice: bool = False
    """Lists grow by the items they do not have, instead of being replaced."""


def merge_path(root: JsonObject, path: str | FieldPath, value: Json, options: MergeOptions | None) -> JsonObject:
    """*root* with *value* merged into what is at *path*; without *options* it replaces."""
    try:
        there = get_path(root, path) if options is not None else None
    except FieldNotFound:
        there = None
    if options is not None and there is not None and value is not None:
        value = _merged(there, value, options)
    return set_path(root, path, value)


def _merged(there: Json, coming: Json, options: MergeOptions) -> Json:
    if options.append_slice and isinstance(there, list) and isinstance(coming, list):
        coming = [item for item in coming if not any(identical(item, other) for other in there)]
    return _merged_maps({"": there}, {"": coming}, options)[""]


def _merged_maps(there: JsonObject, coming: JsonObject, options: MergeOptions) -> JsonObject:
    merged = dict(there)
    for key, value in coming.items():
        old = there.get(key)
        if value is None:
            if not options.keep_map_values:
                merged[key] = None
        elif isinstance(value, dict) and isinstance(old, dict):
            merged[key] = _merged_maps(old, value, options) or value
        elif isinstance(value, list) and options.append_slice and old is not None:
            merged[key] = _appended(old, value)
        elif not old or not options.keep_map_values:
            merged[key] = value
    return merged


def _appended(there: Json, coming: list[Json]) -> list[Json]:
    if not isinstance(there, list):
        why = f"cannot append two slices with different type ([]interface {{}}, {type_name(there)})"
        raise InvalidInput("failed to merge values", why=why)
    return there + coming
