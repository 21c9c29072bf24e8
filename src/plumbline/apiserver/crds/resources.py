"""The resources that a CRD makes the server serve."""

from typing import Final

from plumbline.apiserver.crds.definitions.reading import condition_true, mapping, sequence, text, texts
from plumbline.apiserver.resources.resource import STATUS_VERBS, Collection, Resource, Subresource
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_TERMINATING_VERBS: Final = ("delete", "deletecollection", "get", "list", "watch")
_SCALE: Final = GroupVersionKind("autoscaling", "v1", "Scale")


def resources_of(crd: JsonObject) -> list[Resource]:
    """One for each served version, with the names that were accepted; none where the CRD is not established."""
    if not condition_true(crd, "Established"):
        return []
    spec = mapping(crd.get("spec"))
    names = mapping(mapping(crd.get("status")).get("acceptedNames"))
    group, plural, kind = text(spec, "group"), text(names, "plural"), text(names, "kind")
    versions = [mapping(each) for each in sequence(spec.get("versions"))]
    stored = next((text(each, "name") for each in versions if each.get("storage") is True), "")
    return [
        Resource(
            GroupVersionKind(group, text(version, "name"), kind),
            plural,
            singular=text(names, "singular"),
            namespaced=spec.get("scope") == "Namespaced",
            verbs=_TERMINATING_VERBS if condition_true(crd, "Terminating") else VERBS,
            short_names=tuple(texts(names.get("shortNames"))),
            categories=tuple(texts(names.get("categories"))),
            subresources=_subresources(version, GroupVersionKind(group, text(version, "name"), kind)),
            list_kind=text(names, "listKind"),
            collection=Collection(group, plural),
            storage_version=stored,
            custom=True,
        )
        for version in versions
        if version.get("served") is True
    ]


def _subresources(version: JsonObject, kind: GroupVersionKind) -> dict[str, Subresource]:
    declared = mapping(version.get("subresources"))
    found: dict[str, Subresource] = {}
    if declared.get("status") is not None:
        found["status"] = Subresource("status", kind, STATUS_VERBS)
    if declared.get("scale") is not None:
        found["scale"] = Subresource("scale", _SCALE, STATUS_VERBS)
    return found
