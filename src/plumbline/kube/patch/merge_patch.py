"""JSON merge patch, RFC 7386, as the API server does it.

It differs from the RFC in one thing: nulls within objects within lists are dropped, too, unless the list comes in the
place of an object.
"""

from plumbline.base.errors import BadPatch
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical


def merge_patch(target: Json, patch: Json) -> Json:
    """*target* with the fields of *patch*, less those that are null there."""
    if not isinstance(patch, dict | list):
        raise BadPatch("Invalid JSON Patch", hint="A merge patch is an object that holds what changes.")
    return _merged(target, patch) if isinstance(target, dict) and isinstance(patch, dict) else _pruned(patch)


def create_merge_patch(original: JsonObject, modified: JsonObject) -> JsonObject:
    """The patch that makes *modified* of *original*; nulls within *modified* cannot be said in one."""
    patch: JsonObject = {}
    for key, value in modified.items():
        if key not in original:
            patch[key] = value
            continue
        old = original[key]
        if isinstance(old, dict) and isinstance(value, dict):
            if below := create_merge_patch(old, value):
                patch[key] = below
        elif not identical(old, value):
            patch[key] = value
    return patch | dict.fromkeys(key for key in original if key not in modified)


def _merged(target: JsonObject, patch: JsonObject) -> JsonObject:
    merged = dict(target)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
            continue
        old = merged.get(key)
        if not isinstance(old, dict):
            merged[key] = _pruned(value)
        else:
            merged[key] = _merged(old, value) if isinstance(value, dict) else value
    return merged


def _pruned(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _pruned(below) for key, below in value.items() if below is not None}
    return list(map(_pruned, value)) if isinstance(value, list) else value
