"""The part of an object that says who looks after it, read from a dict or straight from bytes."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from plumbline.base.json import JsonObject, decode
from plumbline.kube.names import GroupKind, Ref
from plumbline.kube.object import Object, OwnerReference
from plumbline.ownership.values import ClusterObject

_MOST_MANAGERS: Final = 8


class Facts(NamedTuple):
    object: ClusterObject
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    owners: tuple[OwnerReference, ...]
    managers: tuple[str, ...]
    """Who wrote fields of it other than through a subresource, each once, in the order of the record."""
    created: str


class _Owner(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class _Manager(msgspec.Struct, frozen=True):
    manager: str = ""
    subresource: str = ""


class _Metadata(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    namespace: str = ""
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[_Owner] | None = None
    managed_fields: list[_Manager] | None = None
    creation_timestamp: str | None = ""


class _Head(msgspec.Struct, frozen=True):
    metadata: _Metadata = _Metadata()


_decoder: Final = msgspec.json.Decoder(_Head)


def facts_of(obj: JsonObject, cluster: str = "", kind: GroupKind | None = None) -> Facts:
    """The facts of a decoded object; garbage in it reads as absent."""
    view = Object(obj)
    ref = view.ref
    if kind:
        ref = Ref(*kind, ref.namespace, ref.name)
    managers = [(str(entry.get("manager") or ""), str(entry.get("subresource") or "")) for entry in view.managed_fields]
    return Facts(
        ClusterObject(ref, cluster),
        view.labels,
        view.annotations,
        view.owner_references,
        _distinct(managers),
        view.creation_timestamp,
    )


def read_facts(body: bytes, kind: GroupKind, cluster: str = "") -> Facts:
    """The facts of an object as a server sends it, without decoding the rest: its field sets are most of its bytes.

    *kind* is given, because a list of metadata does not say which kind it is of.
    """
    try:
        metadata = _decoder.decode(body).metadata
    except msgspec.ValidationError:
        return facts_of(decode(body), cluster, kind)
    owners = tuple(
        OwnerReference(o.api_version, o.kind, o.name, o.uid, o.controller is True, o.block_owner_deletion is True)
        for o in metadata.owner_references or ()
    )
    return Facts(
        ClusterObject(Ref(*kind, metadata.namespace, metadata.name), cluster),
        metadata.labels or {},
        metadata.annotations or {},
        owners,
        _distinct([(entry.manager, entry.subresource) for entry in metadata.managed_fields or ()]),
        metadata.creation_timestamp or "",
    )


def _distinct(managers: list[tuple[str, str]]) -> tuple[str, ...]:
    named = dict.fromkeys(name for name, subresource in managers if name and not subresource)
    return tuple(named)[:_MOST_MANAGERS]
