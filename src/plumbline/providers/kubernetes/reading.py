"""What an Object says, read out of the dict that it is. Pure."""

from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.object import Object as View
from plumbline.managed.external import Managed
from plumbline.managed.policies import policies

Propagation: TypeAlias = Literal["Background", "Foreground", "Orphan"]

_PROPAGATIONS: Final = ("Background", "Foreground", "Orphan")
_OLD_POLICIES: Final = {
    "Default": frozenset({"*"}),
    "ObserveCreateUpdate": frozenset({"Observe", "Create", "Update"}),
    "ObserveDelete": frozenset({"Observe", "Delete"}),
    "Observe": frozenset({"Observe"}),
}
_MANAGER_BYTES: Final = 128
"""What the API server takes as the name of a field manager."""


class Reference(NamedTuple):
    gvk: GroupVersionKind
    namespace: str
    name: str
    from_path: str = ""
    """What is copied from it; empty where it is only waited for."""
    to_path: str = ""

    def __str__(self) -> str:
        where = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.gvk.kind} {where}"


class Detail(NamedTuple):
    """A value that goes into the connection Secret."""

    gvk: GroupVersionKind
    namespace: str
    name: str
    path: str
    key: str


def manifest_of(managed: Managed) -> JsonObject:
    manifest = managed.wanted.get("manifest")
    if not isinstance(manifest, dict) or not manifest.get("kind") or not manifest.get("apiVersion"):
        raise InvalidInput("forProvider.manifest cannot be used", why="it needs apiVersion and kind")
    metadata = manifest.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise InvalidInput("forProvider.manifest cannot be used", why="its metadata is no object")
    return manifest if metadata.get("name") else {**manifest, "metadata": {**metadata, "name": managed.ref.name}}


def field_manager(managed: Managed) -> str:
    """Who applies, as upstream calls itself."""
    return f"provider-kubernetes/{managed.ref.name}"[:_MANAGER_BYTES]


def references_of(managed: Managed) -> tuple[Reference, ...]:
    default = f"{managed.ref.group}/v1alpha1"
    found = []
    for each in _records(managed, "references"):
        said = each.get("patchesFrom") or each.get("dependsOn")
        if not isinstance(said, dict):
            continue
        if not said.get("name"):
            raise InvalidInput("spec.references cannot be used", why="one of them names nothing")
        gvk = GroupVersionKind.parse(str(said.get("apiVersion") or default), str(said.get("kind") or "Object"))
        path = str(said.get("fieldPath") or "") if each.get("patchesFrom") else ""
        place = str(said.get("namespace") or "")
        found.append(Reference(gvk, place, str(said["name"]), path, str(each.get("toFieldPath") or path)))
    return tuple(found)


def details_of(managed: Managed) -> tuple[Detail, ...]:
    return tuple(
        Detail(
            GroupVersionKind.parse(str(each.get("apiVersion") or ""), str(each.get("kind") or "")),
            str(each.get("namespace") or ""),
            str(each.get("name") or ""),
            str(each.get("fieldPath") or ""),
            str(each.get("toConnectionSecretKey") or ""),
        )
        for each in _records(managed, "connectionDetails")
    )


def propagation_of(managed: Managed) -> Propagation:
    said = managed.wanted.get("deletionPropagationPolicy") or "Background"
    for each in _PROPAGATIONS:
        if said == each:
            return each
    raise InvalidInput(
        "forProvider.deletionPropagationPolicy cannot be used", why=f"{said!r} is none of {_PROPAGATIONS}"
    )


def deleting(managed: Managed) -> bool:
    return bool(View(managed.object).deletion_timestamp)


def limited(managed: Managed) -> frozenset[str]:
    """What v1alpha1's `managementPolicy` allows: the reconciler knows only its successor."""
    said = View(managed.object).spec.get("managementPolicy") or "Default"
    if said not in _OLD_POLICIES:
        raise InvalidInput(
            "spec.managementPolicy cannot be used", why=f"{said!r} is none of {', '.join(_OLD_POLICIES)}"
        )
    return _OLD_POLICIES[said]


def observes_only(managed: Managed) -> bool:
    """Whether nothing is ever made or changed."""
    said = View(managed.object).spec.get("managementPolicies")
    actions = frozenset(said) if isinstance(said, list) else frozenset({"*"})
    return not (actions & {"*", "Create", "Update"}) or not (limited(managed) & {"*", "Create", "Update"})


def deletes(managed: Managed) -> bool:
    """Whether what it stands for will go with it, and by our hand."""
    spec = View(managed.object).spec
    said = spec.get("managementPolicies")
    actions = said if isinstance(said, list) else ["*"]
    namespaced = bool(managed.ref.namespace)
    allowed = policies(actions, str(spec.get("deletionPolicy") or "Delete"), namespaced=namespaced).deletes
    return allowed and bool(limited(managed) & {"*", "Delete"})


def _records(managed: Managed, field: str) -> list[JsonObject]:
    said: Json = View(managed.object).spec.get(field) or []
    if not isinstance(said, list) or not all(isinstance(each, dict) for each in said):
        raise InvalidInput(f"spec.{field} cannot be used", why="it is not a list of objects")
    return said
