"""What schemas say about the topology of lists and maps."""

from collections.abc import Iterator

from plumbline.apiserver.crds.definitions.reading import flag, mapping, schema_of, text, texts
from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required
from plumbline.base.json import JsonObject

_LIST = "x-kubernetes-list-type"
_KEYS = "x-kubernetes-list-map-keys"
_MAP = "x-kubernetes-map-type"


def topology_errors(schema: JsonObject, path: str, *, atomic_sets: bool) -> Iterator[FieldError]:
    kind = text(schema, "type")
    yield from _map_type_errors(schema, kind, path)
    yield from _list_type_errors(schema, kind, path, atomic_sets=atomic_sets)
    yield from _key_errors(schema, path)


def _wrong_type(path: str, kind: str, said: str) -> FieldError:
    return invalid(f"{path}.type", kind, said) if kind else required(f"{path}.type", said)


def _map_type_errors(schema: JsonObject, kind: str, path: str) -> Iterator[FieldError]:
    declared = schema.get(_MAP)
    if declared is None:
        return
    if kind != "object":
        yield _wrong_type(path, kind, "must be object if x-kubernetes-map-type is specified")
    if declared not in {"atomic", "granular"}:
        yield not_supported(f"{path}.{_MAP}", declared, ("atomic", "granular"))


def _list_type_errors(schema: JsonObject, kind: str, path: str, *, atomic_sets: bool) -> Iterator[FieldError]:
    declared = schema.get(_LIST)
    if declared is None:
        return
    if kind != "array":
        yield _wrong_type(path, kind, "must be array if x-kubernetes-list-type is specified")
    elif atomic_sets and non_atomic_set(schema):
        items = mapping(schema.get("items"))
        said = "must be atomic as item of a list with x-kubernetes-list-type=set"
        name = _LIST if text(items, "type") == "array" else _MAP
        yield invalid(f"{path}.items.{name}", items.get(_LIST), said)
    if declared not in {"atomic", "set", "map"}:
        yield not_supported(f"{path}.{_LIST}", declared, ("atomic", "set", "map"))


def non_atomic_set(schema: JsonObject) -> bool:
    """A set whose items could change in parts."""
    items = schema_of(schema.get("items"))
    if schema.get(_LIST) != "set" or items is None:
        return False
    kind = text(items, "type")
    if kind == "array":
        return items.get(_LIST) not in {None, "atomic"}
    return kind == "object" and items.get(_MAP) != "atomic"


def _key_errors(schema: JsonObject, path: str) -> Iterator[FieldError]:
    keys, declared = texts(schema.get(_KEYS)), schema.get(_LIST)
    if keys and declared != "map":
        said = "must be map if x-kubernetes-list-map-keys is non-empty"
        place = f"{path}.{_LIST}"
        yield required(place, said) if declared is None else invalid(place, declared, said)
    if declared != "map":
        return
    if not keys:
        yield required(f"{path}.{_KEYS}", "must not be empty if x-kubernetes-list-type is map")
    items = schema_of(schema.get("items"))
    if items is None:
        if schema.get("items") is None:
            yield required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map")
        return
    if text(items, "type") != "object":
        said = "must be object if parent array's x-kubernetes-list-type is map"
        yield invalid(f"{path}.items.type", text(items, "type"), said)
    else:
        yield from _key_property_errors(keys, items, path)


def _key_property_errors(keys: list[str], items: JsonObject, path: str) -> Iterator[FieldError]:
    properties = mapping(items.get("properties"))
    for index, key in enumerate(keys):
        if key not in properties:
            yield invalid(f"{path}.{_KEYS}", list(keys), "entries must all be names of item properties")
        elif text(mapping(properties[key]), "type") in {"array", "object"}:
            said = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            yield invalid(f"{path}.items.properties[{key}].type", text(items, "type"), said)
        if key in keys[:index]:
            yield invalid(f"{path}.{_KEYS}", list(keys), "must not contain duplicate entries")


def unkeyed_map_errors(schema: JsonObject, path: str) -> list[FieldError]:
    """Items of sets and maps must be there, and keys of maps must have a value."""
    items, declared = schema_of(schema.get("items")), schema.get(_LIST)
    if items is None or declared not in {"set", "map"}:
        return []
    errors: list[FieldError] = []
    if flag(items, "nullable"):
        errors.append(forbidden(f"{path}.items.nullable", f"cannot be nullable when {_LIST} is {declared}"))
    if declared == "map":
        errors += _missing_key_errors(schema, items, path)
    return errors


def _missing_key_errors(schema: JsonObject, items: JsonObject, path: str) -> Iterator[FieldError]:
    properties, needed = mapping(items.get("properties")), texts(items.get("required"))
    for key in texts(schema.get(_KEYS)):
        if key not in properties:
            continue
        declared, place = mapping(properties[key]), f"{path}.items.properties[{key}]"
        if key not in needed and declared.get("default") is None:
            said = f"this property is in {_KEYS}, so it must have a default or be a required property"
            yield required(f"{place}.default", said)
        if flag(declared, "nullable"):
            yield forbidden(f"{place}.nullable", f"this property is in {_KEYS}, so it cannot be nullable")
