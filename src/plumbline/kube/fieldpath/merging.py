"""Merges of a patch's value with what is there, rule by rule as mergo does, which upstream uses.

Its rules are about emptiness as much as about presence: `""`, 0, false, `[]` and `{}` are taken for nothing, so that
even a merge that keeps what is there fills them.
"""

from typing import NamedTuple

from plumbline.base.errors import BadPatch
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical


class MergeOptions(NamedTuple):
    keep_map_values: bool = False
    append_slice: bool = False


def merged(existing: Json, value: Json, options: MergeOptions | None) -> Json:
    """*value* over *existing*. Without options, and where one of them is null, it is *value* alone.

    Raises BadPatch where a list would have to be appended to something else.
    """
    if options is None or existing is None or value is None:
        return value
    if options.append_slice and isinstance(existing, list) and isinstance(value, list):
        value = [each for each in value if not any(identical(each, known) for known in existing)]
    return _merged({"": existing}, {"": value}, options)[""]


def _merged(existing: JsonObject, value: JsonObject, options: MergeOptions) -> JsonObject:
    result = dict(existing)
    overwrite = not options.keep_map_values
    for key, new in value.items():
        if new is None:
            if overwrite:
                result[key] = None
            continue
        old = result.get(key)
        if isinstance(new, list):
            result[key] = _merged_list(old, new, options)
            if not _empty(old):
                continue
        elif isinstance(new, dict) and isinstance(old, dict):
            result[key] = old = _merged(old, new, options)
            if old:
                continue
        if overwrite or _empty(old):
            result[key] = new
    return result


def _merged_list(old: Json, new: list[Json], options: MergeOptions) -> Json:
    if options.append_slice:
        if old is None:
            return list(new)
        if not isinstance(old, list):
            raise BadPatch(
                "failed to merge values: cannot append two slices with different type "
                f"({_go_type(new)}, {_go_type(old)})"
            )
        return [*old, *new]
    return old if options.keep_map_values else new


def _empty(value: Json) -> bool:
    return not value


def _go_type(value: Json) -> str:
    """What Go calls the type of a decoded value."""
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    return {bool: "bool", int: "int64", float: "float64"}.get(type(value), "string")
