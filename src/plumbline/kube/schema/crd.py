"""Shapes of custom kinds, from their CustomResourceDefinition."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from plumbline.base.errors import UnknownKind
from plumbline.base.json import JsonObject
from plumbline.kube.schema.builtin import catalog
from plumbline.kube.schema.compiler import compile_shape
from plumbline.kube.schema.native import CUSTOM_RESETS
from plumbline.kube.schema.shape import FREE, Form, Shape

_STRING: Final = Shape(Form.SCALAR, kind="string")


def crd_shape(crd: JsonObject, version: str) -> Shape:
    """The shape of the kind that *crd* defines, as served in *version*."""
    declared = next((each for each in crd["spec"]["versions"] if each["name"] == version), None)
    if declared is None:
        raise UnknownKind(f"{crd['spec']['names']['kind']} has no version {version}", why="its CRD does not list it")
    schema: JsonObject = (declared.get("schema") or {}).get("openAPIV3Schema") or {}
    shape = compile_shape(_published(schema), _no_references)
    resets = CUSTOM_RESETS if "status" in (declared.get("subresources") or {}) else {}
    return replace(shape, resets=resets, resolve_fields=lambda: _with_object_fields(shape.fields))


def _published(schema: JsonObject) -> JsonObject:
    """A root without properties keeps everything; with the object's own fields it is a record all the same."""
    return {**schema, "type": "object", "properties": schema.get("properties") or {"metadata": {"type": "object"}}}


def _with_object_fields(fields: Mapping[str, Shape]) -> Mapping[str, Shape]:
    own = {"apiVersion": _STRING, "kind": _STRING, "metadata": catalog().shape("meta.v1.ObjectMeta")}
    return {**fields, **own}


def _no_references(name: str) -> Shape:
    del name  # structural schemas have none; one that slipped through merges as free-form
    return FREE
