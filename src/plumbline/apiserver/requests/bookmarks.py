"""Bookmarks: how far a watch has come, in the form of an object of its kind."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from plumbline.apiserver.defaults.structs import struct_of
from plumbline.apiserver.models.model import Model
from plumbline.base.json import Json, JsonObject, encode
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape
from plumbline.kube.schema.typed import typed_form

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
_WORKLOAD: Final = {"spec": {"replicas": 0, "selector": None}}
_WRITTEN: Final[Mapping[str, JsonObject]] = {
    "CertificateSigningRequest": {"spec": {"request": None}},
    "ClusterRoleBinding": {"roleRef": {"apiGroup": ""}},
    "ControllerRevision": {"data": None},
    "DaemonSet": {"spec": {"selector": None}},
    "Deployment": _WORKLOAD,
    "FlowSchema": {"spec": {"matchingPrecedence": 0}},
    "ReplicaSet": _WORKLOAD,
    "RoleBinding": {"roleRef": {"apiGroup": ""}},
    "StatefulSet": _WORKLOAD,
}
"""What a structure that nobody has filled writes besides what it always does."""


def bookmark(model: Model, revision: int, *, ends_initial: bool = False) -> bytes:
    metadata: JsonObject = {"resourceVersion": str(revision)}
    if ends_initial:
        metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
    kind = model.resource.kind
    named = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}
    return encode(named if model.resource.custom else {**_empty(kind), **named})


@lru_cache(maxsize=256)
def _empty(kind: GroupVersionKind) -> JsonObject:
    """An object of a built-in kind in which nothing is said."""
    shape = builtin_shape(kind)
    if shape is None:
        return {}
    empty = struct_of(kind)(typed_form({"kind": kind.kind, "apiVersion": kind.api_version, "metadata": {}}, shape))
    return _merged(empty, _WRITTEN.get(kind.kind, {}))


def _merged(empty: JsonObject, written: JsonObject) -> JsonObject:
    return {**empty, **{name: _with(empty.get(name), value) for name, value in written.items()}}


def _with(there: Json, value: Json) -> Json:
    return _merged(there or {}, value) if isinstance(value, dict) else value
