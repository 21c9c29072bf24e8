"""Objects as kubeseal prints them, byte for byte: in JSON with the fields in the order of Go's types, in YAML sorted."""

from typing import Final, NamedTuple, Optional

import msgspec

from plumbline.base.documents import dump_yaml
from plumbline.base.json import Json, JsonObject, encode
from plumbline.kube.object import Object
from plumbline.secrets.sealing import SEALED_WITH

_ESCAPED: Final = str.maketrans({
    "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029",
})  # fmt: skip
"""Go writes these so that JSON can stand in HTML. In JSON they are found in texts only."""


class _Fields(NamedTuple):
    """The fields of a type in their order; what lies below those that have an order of their own."""

    names: tuple[str, ...] = ()
    below: "dict[str, _Fields] | None" = None
    items: Optional["_Fields"] = None


_OWNER: Final = _Fields(("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"))
_MANAGED: Final = _Fields(("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"))
_METADATA: Final = _Fields(
    (
        "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
        "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers",
        "managedFields",
    ),
    {"ownerReferences": _Fields(items=_OWNER), "managedFields": _Fields(items=_MANAGED)},
)  # fmt: skip
_TEMPLATE: Final = _Fields(("metadata", "type", "immutable", "data"), {"metadata": _METADATA})
_SPEC: Final = _Fields(("template", "data", "encryptedData"), {"template": _TEMPLATE})
_CONDITION: Final = _Fields(("type", "status", "lastUpdateTime", "lastTransitionTime", "reason", "message"))
_STATUS: Final = _Fields(("observedGeneration", "conditions"), {"conditions": _Fields(items=_CONDITION)})
_OBJECT: Final = _Fields(
    ("kind", "apiVersion", "metadata", "spec", "immutable", "data", "stringData", "type", "status"),
    {"metadata": _METADATA, "spec": _SPEC, "status": _STATUS},
)
_ANY: Final = _Fields()


def printed(obj: JsonObject, form: str) -> str:
    """A Secret or a SealedSecret as a piece of a stream of such."""
    obj = _as_typed(obj)
    if form == "yaml":
        return "---\n" + dump_yaml(obj)
    text = msgspec.json.format(encode(_ordered(obj, _OBJECT)), indent=2).decode()
    return text.translate(_ESCAPED) + "\n"


def unnoted(sealed: JsonObject) -> JsonObject:
    """Without the annotation that says which key sealed it, which kubeseal does not write."""
    metadata = dict(Object(sealed).metadata)
    annotations = {name: text for name, text in Object(sealed).annotations.items() if name != SEALED_WITH}
    metadata.pop("annotations", None)
    return {**sealed, "metadata": {**metadata, "annotations": annotations} if annotations else metadata}


def _as_typed(obj: JsonObject) -> JsonObject:
    """What Go's types add by being written: a template and its metadata are always there, and null is no metadata."""
    typed: JsonObject = {**obj, "metadata": _without_nulls(Object(obj).metadata)}
    if obj.get("kind") != "SealedSecret":
        return typed
    spec = Object(obj).spec
    template = spec.get("template") or {}
    metadata = _without_nulls(template.get("metadata") or {})
    return {**typed, "spec": {"encryptedData": {}, **spec, "template": {**template, "metadata": metadata}}}


def _without_nulls(metadata: JsonObject) -> JsonObject:
    return {name: value for name, value in metadata.items() if value is not None}


def _ordered(value: Json, fields: _Fields) -> Json:
    """Fields that Go's types do not have come last; maps are sorted."""
    match value:
        case dict():
            below = fields.below or {}
            names = [name for name in fields.names if name in value]
            names += sorted(value.keys() - set(names))
            return {name: _ordered(value[name], below.get(name, _ANY)) for name in names}
        case list():
            return [_ordered(item, fields.items or _ANY) for item in value]
    return value
