"""Objects cut down to their metadata, for clients that look at nothing else."""

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.base.json import JsonObject, encode
from plumbline.kube.names import GroupVersionKind

MetaVersion = Literal["v1", "v1beta1"]
"""Of the group meta.k8s.io."""
_Piece: TypeAlias = msgspec.Raw | msgspec.UnsetType

_LIST_KEYS: Final = ("selfLink", "resourceVersion", "continue", "remainingItemCount")


class _ManagedFields(msgspec.Struct, rename="camel"):
    manager: _Piece = msgspec.UNSET
    operation: _Piece = msgspec.UNSET
    api_version: _Piece = msgspec.UNSET
    time: _Piece = msgspec.UNSET
    fields_type: _Piece = msgspec.UNSET
    fields_v1: _Piece = msgspec.field(default=msgspec.UNSET, name="fieldsV1")
    subresource: _Piece = msgspec.UNSET


class _OwnerReference(msgspec.Struct, rename="camel"):
    api_version: _Piece = msgspec.UNSET
    kind: _Piece = msgspec.UNSET
    name: _Piece = msgspec.UNSET
    uid: _Piece = msgspec.UNSET
    controller: _Piece = msgspec.UNSET
    block_owner_deletion: _Piece = msgspec.UNSET


class _Metadata(msgspec.Struct, rename="camel"):
    """Nothing of it is read: it is put in the order in which the server writes it."""

    name: _Piece = msgspec.UNSET
    generate_name: _Piece = msgspec.UNSET
    namespace: _Piece = msgspec.UNSET
    self_link: _Piece = msgspec.UNSET
    uid: _Piece = msgspec.UNSET
    resource_version: _Piece = msgspec.UNSET
    generation: _Piece = msgspec.UNSET
    creation_timestamp: _Piece = msgspec.UNSET
    deletion_timestamp: _Piece = msgspec.UNSET
    deletion_grace_period_seconds: _Piece = msgspec.UNSET
    labels: _Piece = msgspec.UNSET
    annotations: _Piece = msgspec.UNSET
    owner_references: list[_OwnerReference] | msgspec.UnsetType = msgspec.UNSET
    finalizers: _Piece = msgspec.UNSET
    managed_fields: list[_ManagedFields] | msgspec.UnsetType = msgspec.UNSET


class _Object(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class _Loose(msgspec.Struct):
    metadata: msgspec.Raw = msgspec.Raw(b"{}")


_decoder = msgspec.json.Decoder(_Object)
_loose = msgspec.json.Decoder(_Loose)
_annotations = msgspec.json.Decoder(dict[str, msgspec.Raw])

_HIDDEN: Final[dict[GroupVersionKind, frozenset[str]]] = {
    GroupVersionKind("apps", "v1", "DaemonSet"): frozenset({"deprecated.daemonset.template.generation"}),
    GroupVersionKind("apps", "v1", "Deployment"): frozenset({"deprecated.deployment.rollback.to"}),
    GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler"): frozenset(
        f"autoscaling.alpha.kubernetes.io/{each}"
        for each in (
            "behavior",
            "conditions",
            "current-metrics",
            "metrics",
            "scale-down-tolerance",
            "scale-up-tolerance",
        )
    ),
}
"""Annotations that stand for fields of another version. Upstream cuts objects down before it writes them."""


def partial_metadata(
    obj: bytes | JsonObject, version: MetaVersion = "v1", *, kind: GroupVersionKind | None = None
) -> bytes:
    """The object as PartialObjectMetadata; of some kinds its annotations are not all the object's."""
    return _OPENINGS[version] + _metadata(obj, _hidden(kind)) + b"}"


def partial_metadata_list_bytes(
    objects: Iterable[bytes | JsonObject],
    list_metadata: JsonObject,
    version: MetaVersion = "v1",
    *,
    kind: GroupVersionKind | None = None,
) -> bytes:
    """The objects as PartialObjectMetadataList; *list_metadata* is that of the list they are from."""
    opening, hidden = _OPENINGS[version], _hidden(kind)
    head = opened("PartialObjectMetadataList", version, list_metadata)
    items = b",".join([opening + _metadata(obj, hidden) + b"}" for obj in objects])
    return b'%b,"items":[%b]}' % (head, items) if items else b'%b,"items":null}' % head


def opened(kind: str, version: MetaVersion, list_metadata: JsonObject) -> bytes:
    """The beginning of a list of that kind, up to its metadata."""
    metadata = {key: list_metadata[key] for key in _LIST_KEYS if list_metadata.get(key) not in (None, "")}
    return b'{"kind":"%b","apiVersion":"meta.k8s.io/%b","metadata":%b' % (
        kind.encode(),
        version.encode(),
        encode(metadata),
    )


def _hidden(kind: GroupVersionKind | None) -> frozenset[str]:
    return frozenset() if kind is None else _HIDDEN.get(kind, frozenset())


def _metadata(obj: bytes | JsonObject, hidden: frozenset[str]) -> bytes:
    whole = obj if isinstance(obj, bytes) else encode(obj)
    try:
        metadata = _decoder.decode(whole).metadata
        if hidden and isinstance(metadata.annotations, msgspec.Raw):
            found = _annotations.decode(metadata.annotations)
            kept = {key: value for key, value in found.items() if key not in hidden}
            metadata.annotations = msgspec.Raw(encode(kept)) if kept else msgspec.UNSET
        return encode(metadata)
    except msgspec.ValidationError:
        return _garbled(whole)


def _garbled(whole: bytes) -> bytes:
    """Metadata that is not what it should be is shown as it is, as long as it is an object."""
    try:
        metadata = bytes(_loose.decode(whole).metadata)
    except msgspec.ValidationError:
        return b"{}"
    return metadata if metadata.startswith(b"{") else b"{}"


_OPENINGS: Final[dict[MetaVersion, bytes]] = {
    "v1": b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":',
    "v1beta1": b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":',
}
