"""From OpenAPI schemas, as Kubernetes writes them, to shapes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.kube.schema.shape import FREE, Form, Shape

_SCALARS: Final = {
    (kind, fmt): Shape(Form.SCALAR, kind=fmt or kind)
    for kind, fmt in (
        ("string", ""), ("string", "date-time"), ("integer", ""), ("number", ""), ("boolean", ""),
    )
}  # fmt: skip
_ZEROS: Final[Mapping[str, Json]] = {"string": "", "integer": 0, "number": 0, "boolean": False}

Resolve = Callable[[str], Shape]
"""The shape of a definition, by the last part of its $ref."""


def compile_shape(schema: JsonObject, resolve: Resolve, *, open_below: bool = False) -> Shape:
    """The shape of *schema*; *open_below* is inherited from a parent that preserves unknown fields."""
    open_below = open_below or schema.get("x-kubernetes-preserve-unknown-fields") is True
    target = reference(schema)
    if target:
        return _with_field_overrides(resolve(target), schema)
    kind = declared_type(schema)
    if kind == "array":
        return _list_shape(schema, resolve, open_below=open_below)
    if kind == "object" or (not kind and "properties" in schema):
        return _object_shape(schema, resolve, open_below=open_below)
    if not kind:
        return FREE
    fmt = schema.get("format", "")
    return _SCALARS.get((kind, fmt)) or _SCALARS[kind, ""]


def reference(schema: JsonObject) -> str:
    """The definition that *schema* points at, directly or as OpenAPI v3 wraps it; empty if none."""
    ref = schema.get("$ref")
    if ref is None:
        wrapped: list[JsonObject] = schema.get("allOf") or []
        ref = wrapped[0].get("$ref", "") if len(wrapped) == 1 else ""
    return ref.rpartition("/")[2]


def declared_type(schema: JsonObject) -> str:
    kind = schema.get("type", "")
    if isinstance(kind, list):
        return next((each for each in kind if each != "null"), "")
    return str(kind)


def _with_field_overrides(shape: Shape, schema: JsonObject) -> Shape:
    """What a field says about its type's merging applies to that field only."""
    map_type = schema.get("x-kubernetes-map-type")
    atomic = shape.atomic if map_type is None else map_type == "atomic"
    strategy = schema.get("x-kubernetes-patch-strategy", "")
    if atomic == shape.atomic and not strategy:
        return shape
    retain_keys, replaces = "retainKeys" in strategy, "replace" in strategy
    return replace(shape, atomic=atomic, retain_keys=retain_keys, patch_replaces=replaces)


def _object_shape(schema: JsonObject, resolve: Resolve, *, open_below: bool) -> Shape:
    properties: Mapping[str, JsonObject] = schema.get("properties") or {}
    extra = schema.get("additionalProperties")
    strategy: str = schema.get("x-kubernetes-patch-strategy", "")
    free = extra is True or (extra is None and (open_below or not properties))

    def values() -> Shape:
        return compile_shape(extra, resolve, open_below=open_below) if isinstance(extra, dict) else FREE

    def fields() -> Mapping[str, Shape]:
        return {name: compile_shape(each, resolve, open_below=open_below) for name, each in properties.items()}

    return Shape(
        Form.RECORD if properties else Form.MAP,
        atomic=schema.get("x-kubernetes-map-type") == "atomic",
        open=free or isinstance(extra, dict),
        required=frozenset(schema.get("required") or ()),
        retain_keys="retainKeys" in strategy,
        patch_replaces="replace" in strategy,
        resolve_fields=fields,
        resolve_values=values,
    )


def _list_shape(schema: JsonObject, resolve: Resolve, *, open_below: bool) -> Shape:
    items: JsonObject = schema.get("items") or {}
    strategy: str = schema.get("x-kubernetes-patch-strategy", "")
    merge_key: str = schema.get("x-kubernetes-patch-merge-key", "")
    form, keys = _list_form(schema, strategy, merge_key)
    return Shape(
        form,
        keys=keys,
        key_defaults=_key_defaults(items, keys),
        patch_keys=(merge_key,) if "merge" in strategy.split(",") else (),
        retain_keys="retainKeys" in strategy,
        resolve_values=lambda: compile_shape(items, resolve, open_below=open_below),
    )


def _list_form(schema: JsonObject, strategy: str, merge_key: str) -> tuple[Form, tuple[str, ...]]:
    declared = schema.get("x-kubernetes-list-type")
    if declared == "map":
        # FieldsV1 spells keys in sorted order whatever order the schema lists them in.
        return Form.TABLE, tuple(sorted(schema.get("x-kubernetes-list-map-keys") or ()))
    if declared == "set":
        return Form.SET, ()
    if declared is None and strategy in {"merge", "merge,retainKeys"}:
        return (Form.TABLE, (merge_key,)) if merge_key else (Form.SET, ())
    return Form.LIST, ()


def _key_defaults(items: JsonObject, keys: tuple[str, ...]) -> Mapping[str, Json]:
    properties = items.get("properties") or {}
    return {key: properties[key]["default"] for key in keys if "default" in properties.get(key, {})}


def zero_defaults(definition: JsonObject, keys: tuple[str, ...]) -> Mapping[str, Json]:
    """What the server's own types put where a required key was not written."""
    required = definition.get("required") or ()
    properties = definition.get("properties") or {}
    found = {key: _ZEROS.get(declared_type(properties.get(key, {}))) for key in keys if key in required}
    return {key: zero for key, zero in found.items() if zero is not None}
