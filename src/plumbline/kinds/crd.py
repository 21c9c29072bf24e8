"""CRDs: what a kind looks like to the API server, and whether the one that is already there may be changed."""

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from plumbline.base.json import JsonObject, encode_sorted
from plumbline.kinds.kind import Column, Kind, NoSpec, NoStatus, Scale, Version
from plumbline.kinds.schema import schema_of

MANAGED_BY: Final = "app.kubernetes.io/managed-by"
OURS: Final = "plumbline"
SCHEMA_HASH: Final = "plumbline.dev/schema-hash"
_SOURCES_OF_NAMES: Final = (MANAGED_BY, "app.kubernetes.io/part-of", "app.kubernetes.io/name")


@dataclass(frozen=True)
class Create:
    manifest: JsonObject


@dataclass(frozen=True)
class Update:
    """Replace it. The manifest carries the uid and resourceVersion that were looked at: a later writer wins."""

    manifest: JsonObject


@dataclass(frozen=True)
class Leave:
    reason: str


def crd_manifest(kind: Kind[Any, Any]) -> JsonObject:
    names: JsonObject = {
        "kind": kind.kind,
        "listKind": f"{kind.kind}List",
        "plural": kind.plural,
        "singular": kind.singular or kind.kind.lower(),
    }
    if kind.short_names:
        names["shortNames"] = list(kind.short_names)
    if kind.categories:
        names["categories"] = list(kind.categories)
    spec: JsonObject = {
        "group": kind.group,
        "names": names,
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "versions": [_version(kind, version, stored=at == 0) for at, version in enumerate(kind.versions)],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": kind.crd_name,
            "labels": {MANAGED_BY: OURS},
            "annotations": {SCHEMA_HASH: hashlib.sha256(encode_sorted(spec)).hexdigest()},
        },
        "spec": spec,
    }


def plan_crd(ours: JsonObject, live: JsonObject | None) -> Create | Update | Leave:
    """Decide without doing: somebody else's CRD is left alone, ours changes with its schema and keeps stored versions."""
    if live is None:
        return Create(ours)
    metadata = live.get("metadata") or {}
    recorded = (metadata.get("annotations") or {}).get(SCHEMA_HASH)
    labels = metadata.get("labels") or {}
    if labels.get(MANAGED_BY) != OURS or not recorded:
        return Leave(f"It was installed by {_installer(labels)} and stays as it is")
    if recorded == ours["metadata"]["annotations"][SCHEMA_HASH]:
        return Leave("It is up to date")
    if metadata.get("deletionTimestamp"):
        return Leave("It is being deleted")
    if live["spec"]["scope"] != ours["spec"]["scope"]:
        return Leave(f"Its scope is {live['spec']['scope']}, which cannot change while it exists")
    return Update(_replacement(ours, live))


def _installer(labels: JsonObject) -> str:
    return next(
        (str(labels[key]) for key in _SOURCES_OF_NAMES if labels.get(key) not in {None, "", OURS}), "somebody else"
    )


def _replacement(ours: JsonObject, live: JsonObject) -> JsonObject:
    kept = live["metadata"]
    metadata = ours["metadata"] | {
        "labels": (kept.get("labels") or {}) | ours["metadata"]["labels"],
        "annotations": (kept.get("annotations") or {}) | ours["metadata"]["annotations"],
        "uid": kept["uid"],
        "resourceVersion": kept["resourceVersion"],
    }
    declared = {version["name"] for version in ours["spec"]["versions"]}
    stored = set((live.get("status") or {}).get("storedVersions") or ())
    orphaned = [
        version | {"storage": False}
        for version in live["spec"]["versions"]
        if version["name"] in stored and version["name"] not in declared
    ]
    return ours | {"metadata": metadata, "spec": ours["spec"] | {"versions": ours["spec"]["versions"] + orphaned}}


def _version(kind: Kind[Any, Any], version: Version[Any, Any], *, stored: bool) -> JsonObject:
    entry: JsonObject = {
        "name": version.name,
        "served": version.served,
        "storage": stored,
        "schema": {"openAPIV3Schema": _root(kind, version)},
    }
    if version.deprecation:
        entry |= {"deprecated": True, "deprecationWarning": version.deprecation}
    if version.columns:
        entry["additionalPrinterColumns"] = [_column(column) for column in version.columns]
    if version.selectable:
        entry["selectableFields"] = [{"jsonPath": path} for path in version.selectable]
    subresources: JsonObject = {}
    if version.status_apart:
        subresources["status"] = {}
    if version.scale:
        subresources["scale"] = _scale(version.scale)
    if subresources:
        entry["subresources"] = subresources
    return entry


def _root(kind: Kind[Any, Any], version: Version[Any, Any]) -> JsonObject:
    parts = {"spec": version.spec, **dict(version.also), "status": version.status}
    absent = (NoSpec,) if version.status_apart else (NoSpec, NoStatus)
    typed = {
        name: schema_of(part, keep_unknown=kind.keep_unknown) for name, part in parts.items() if part not in absent
    }
    if version.status_depth is not None and "status" in typed:
        shallow = schema_of(version.status, keep_unknown=kind.keep_unknown, depth=version.status_depth)
        typed["status"] = shallow | {"x-kubernetes-map-type": "atomic"}
    if version.rules:
        typed["spec"]["x-kubernetes-validations"] = [{"rule": r, "message": m} for r, m in version.rules]
    if version.status_default:
        typed["status"]["default"] = dict(version.status_default)
    return {
        "type": "object",
        "description": kind.description,
        **({"required": ["spec"]} if "spec" in typed else {}),
        "properties": {
            "apiVersion": {"type": "string", "description": "The group and version in which this object is written."},
            "kind": {"type": "string", "description": "The kind of this object, in CamelCase."},
            "metadata": {"type": "object"},
            **typed,
        },
    }


def _column(column: Column) -> JsonObject:
    entry: JsonObject = {"name": column.name, "type": column.type, "jsonPath": column.path}
    if column.description:
        entry["description"] = column.description
    if column.priority:
        entry["priority"] = column.priority
    return entry


def _scale(scale: Scale) -> JsonObject:
    entry = {"specReplicasPath": scale.spec_replicas, "statusReplicasPath": scale.status_replicas}
    return entry | ({"labelSelectorPath": scale.selector} if scale.selector else {})
