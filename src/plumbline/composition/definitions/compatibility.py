"""Which objects a changed definition would make invalid. Pure.

Upstream writes the new CRD, and objects of the old form can then be neither read as what they are nor written back. Here the
old form stays until nobody needs it.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import Ref

_NAMED: Final = 5


class TypeChange(NamedTuple):
    """A field that holds something else than before."""

    path: tuple[str, ...]
    """Keys; `[]` stands for each item and `{}` for each value."""
    before: str
    after: str

    def __str__(self) -> str:
        where = ".".join(self.path).replace(".[]", "[]").replace(".{}", "{}")
        return f"{where} ({self.before} to {self.after})"


class Broken(NamedTuple):
    """An object that would be invalid, and by which changes."""

    ref: Ref
    changes: tuple[TypeChange, ...]


def type_changes(live: JsonObject, desired: JsonObject) -> tuple[TypeChange, ...]:
    """Fields of the CRD *live* that the CRD *desired* gives another type, in the version that is stored."""
    before, after = _stored(live), _stored(desired)
    return tuple(_changes(before, after, ())) if before is not None and after is not None else ()


def stored_apart(live: JsonObject, desired: JsonObject) -> tuple[str, ...]:
    """Versions in which objects are stored and which *desired* no longer has."""
    kept = {version["name"] for version in desired["spec"]["versions"]}
    stored = (live.get("status") or {}).get("storedVersions") or ()
    return tuple(name for name in stored if name not in kept)


def broken(objects: list[JsonObject], changes: tuple[TypeChange, ...]) -> tuple[Broken, ...]:
    """Those of *objects* that hold a value where the type changed, and not one that fits both."""
    found = ((Ref.of(obj), tuple(change for change in changes if _breaks(obj, change))) for obj in objects)
    return tuple(sorted(Broken(ref, hit) for ref, hit in found if hit))


def explained(found: tuple[Broken, ...]) -> str:
    """What would become invalid, and the way out."""
    named = ", ".join(str(each.ref) for each in found[:_NAMED]) + (" and more" if len(found) > _NAMED else "")
    fields = ", ".join(dict.fromkeys(str(change) for each in found for change in each.changes))
    many = "1 object" if len(found) == 1 else f"{len(found)} objects"
    return (
        f"The new schema would make {many} invalid: {named}; changed types: {fields}. "
        "The API keeps serving the old schema. Give the new type to a field of another name or to a new version with a "
        "conversion, or remove the field from these objects first"
    )


def _stored(crd: JsonObject) -> JsonObject | None:
    for version in crd["spec"]["versions"]:
        if version.get("storage"):
            schema: JsonObject = (version.get("schema") or {}).get("openAPIV3Schema") or {}
            return schema
    return None


def _changes(before: JsonObject, after: JsonObject, path: tuple[str, ...]) -> Iterator[TypeChange]:
    was, now = _type(before), _type(after)
    if was and now and was != now:
        yield TypeChange(path, was, now)
        return
    old, new = before.get("properties") or {}, after.get("properties") or {}
    for key in sorted(old.keys() & new.keys()):
        yield from _changes(old[key], new[key], (*path, key))
    for key, step in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(before.get(key), dict) and isinstance(after.get(key), dict):
            yield from _changes(before[key], after[key], (*path, step))


def _type(schema: JsonObject) -> str:
    if schema.get("x-kubernetes-int-or-string"):
        return "integer or string"
    return str(schema.get("type") or "")


def _breaks(obj: JsonObject, change: TypeChange) -> bool:
    return any(not _fits(value, change.after) for value in _values(obj, change.path))


def _values(value: Json, path: tuple[str, ...]) -> Iterator[Json]:
    if not path:
        yield value
        return
    step, *rest = path
    if step == "[]":
        below = value if isinstance(value, list) else []
    elif step == "{}":
        below = list(value.values()) if isinstance(value, dict) else []
    else:
        below = [value[step]] if isinstance(value, dict) and step in value else []
    for each in below:
        yield from _values(each, tuple(rest))


_FITTING: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "integer or string": (int, str),
}


def _fits(value: Json, type_: str) -> bool:
    if isinstance(value, bool):
        return type_ == "boolean"
    return isinstance(value, _FITTING.get(type_, (object,)))
