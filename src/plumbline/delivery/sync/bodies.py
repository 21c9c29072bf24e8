"""Bodies that a sync looks into or makes: hooks, the destination's namespace, definitions of kinds, images."""

import hashlib
from typing import Final, NamedTuple

import msgspec

from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.delivery.sync.hooks import FINALIZER, OPERATION
from plumbline.delivery.sync.options import SYNC_OPTIONS
from plumbline.delivery.values import Desired
from plumbline.kinds.application import ManagedNamespaceMetadata
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref
from plumbline.ownership.learn.tracking import TRACKING_ID

_NAMESPACES: Final = GroupVersionKind("", "v1", "Namespace")
_CONTAINERS: Final = (
    ("spec",),
    ("spec", "template", "spec"),
    ("spec", "jobTemplate", "spec", "template", "spec"),
)


class Defined(NamedTuple):
    """The kind that a CustomResourceDefinition makes."""

    group_kind: GroupKind
    namespaced: bool


class _Names(msgspec.Struct):
    kind: str


class _Definition(msgspec.Struct):
    group: str
    names: _Names
    scope: str = "Namespaced"


class _Crd(msgspec.Struct):
    spec: _Definition


class _Typed(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""


_crd: Final = msgspec.json.Decoder(_Crd)
_typed: Final = msgspec.json.Decoder(_Typed)


def defined(desired: Desired) -> Defined | None:
    """What a CustomResourceDefinition defines; None where it is too broken to say."""
    try:
        spec = _crd.decode(desired.body).spec
    except msgspec.DecodeError:
        return None
    return Defined(GroupKind(spec.group, spec.names.kind), spec.scope == "Namespaced")


def kind_of(raw: bytes) -> GroupVersionKind:
    """The version and kind that an object on a server is of."""
    typed = _typed.decode(raw)
    return GroupVersionKind.parse(typed.api_version, typed.kind)


def hook_body(desired: Desired, name: str, mark: str) -> Desired:
    """*desired* as it is created for one phase: with a name, protected until it completes, and recognisable."""
    body: JsonObject = desired.object()
    metadata = body.get("metadata") or {}
    annotations = {**_marked(metadata.get("annotations") or {}, name), OPERATION: mark}
    finalizers = metadata.get("finalizers") or []
    if FINALIZER not in finalizers:
        finalizers = [*finalizers, FINALIZER]
    body["metadata"] = {**metadata, "name": name, "annotations": annotations, "finalizers": finalizers}
    return _desired(desired.ref._replace(name=name), desired.gvk, body, desired.source)


def named_body(desired: Desired, name: str) -> Desired:
    """*desired* with a name of its own, where it only asks for one."""
    body: JsonObject = desired.object()
    metadata = body.get("metadata") or {}
    body["metadata"] = {**metadata, "name": name, "annotations": _marked(metadata.get("annotations") or {}, name)}
    return _desired(desired.ref._replace(name=name), desired.gvk, body, desired.source)


def _marked(annotations: JsonObject, name: str) -> JsonObject:
    """The mark of an object that had no name when it was marked, with the name that it got: else it is nobody's."""
    mark = annotations.get(TRACKING_ID)
    unnamed = isinstance(mark, str) and mark.endswith("/")
    return {**annotations, TRACKING_ID: f"{mark}{name}"} if unnamed else annotations


def namespace_body(name: str, managed: ManagedNamespaceMetadata | None) -> Desired:
    metadata: JsonObject = {"name": name}
    if managed is not None:
        # Only server-side apply leaves the labels and annotations of others alone.
        metadata["annotations"] = {**managed.annotations, SYNC_OPTIONS: "ServerSideApply=true"}
        if managed.labels:
            metadata["labels"] = managed.labels
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    return _desired(Ref("", "Namespace", "", name), _NAMESPACES, body, 0)


def images(body: bytes) -> tuple[str, ...]:
    """Images of the containers of a workload, in their order; nothing for what is no known workload."""
    if b'"containers"' not in body:
        return ()
    whole = decode(body)
    for path in _CONTAINERS:
        at: Json = whole
        for name in path:
            at = at.get(name) if isinstance(at, dict) else None
        containers = at.get("containers") if isinstance(at, dict) else None
        if isinstance(containers, list):
            found = [each.get("image") for each in containers if isinstance(each, dict)]
            return tuple(image for image in found if isinstance(image, str))
    return ()


def _desired(ref: Ref, gvk: GroupVersionKind, body: JsonObject, source: int) -> Desired:
    raw = encode(body)
    annotations = body["metadata"].get("annotations") or {}
    return Desired(ref, gvk, raw, hashlib.sha256(raw).digest(), annotations, source=source)
