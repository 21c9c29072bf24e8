"""One group-version: its APIResourceList, and its part of the aggregated document."""

import base64
import hashlib
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from plumbline.apiserver.discovery.groups import Version
from plumbline.apiserver.discovery.reply import Content
from plumbline.apiserver.resources.resource import Resource, Subresource
from plumbline.base.json import JsonObject, encode
from plumbline.kube.names import GroupVersionKind

_CUSTOM_VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_CUSTOM_SUBRESOURCES: Final = ("status", "scale")


class VersionPage:
    """What discovery says about one group-version. Built when first asked for, then kept."""

    def __init__(self, version: Version, unserved: frozenset[str]) -> None:
        self.version = version
        self._unserved = unserved
        """Plurals whose storage version is not served: they have no hash."""

    def says_the_same_as(self, version: Version, unserved: frozenset[str]) -> bool:
        return self.version == version and self._unserved == unserved

    @cached_property
    def listing(self) -> Content:
        name = self.version.name
        head: JsonObject = {"kind": "APIResourceList"}
        if name.group:
            head["apiVersion"] = "v1"
        return Content(encode({**head, "groupVersion": str(name), "resources": list(self._rows())}) + b"\n")

    @cached_property
    def fragment(self) -> bytes:
        resources = sorted(self.version.resources, key=lambda each: each.plural)
        rows = [_aggregated(each) for each in resources]
        return encode({"version": self.version.name.version, "resources": rows, "freshness": "Current"})

    def _rows(self) -> Iterator[JsonObject]:
        for each in self.version.resources:
            yield self._row(each)
            for below in _subresources(each):
                yield _subresource_row(each, below)

    def _row(self, resource: Resource) -> JsonObject:
        row: JsonObject = {
            "name": resource.plural,
            "singularName": resource.singular,
            "namespaced": resource.namespaced,
            "kind": resource.kind.kind,
            "verbs": _verbs(resource),
        }
        _name(row, resource)
        if "delete" in resource.verbs and resource.plural not in self._unserved:
            row["storageVersionHash"] = storage_version_hash(resource.storage_kind)
        return row


def storage_version_hash(kind: GroupVersionKind) -> str:
    """Eight bytes that change when objects of *kind* are written in another version."""
    digest = hashlib.sha256("/".join(kind).encode()).digest()
    return base64.b64encode(digest[:8]).decode()


def _verbs(resource: Resource) -> tuple[str, ...]:
    if not resource.custom:
        return resource.verbs
    return tuple(verb for verb in _CUSTOM_VERBS if verb in resource.verbs)


def _subresources(resource: Resource) -> list[Subresource]:
    below = resource.subresources
    if not resource.custom:
        return [below[name] for name in sorted(below)]
    return [below[name] for name in _CUSTOM_SUBRESOURCES if name in below]


def _name(row: JsonObject, resource: Resource) -> None:
    if resource.short_names:
        row["shortNames"] = resource.short_names
    if resource.categories:
        row["categories"] = resource.categories


def _foreign(resource: Resource, below: Subresource) -> bool:
    return below.kind[:2] != resource.kind[:2]


def _subresource_row(resource: Resource, below: Subresource) -> JsonObject:
    row: JsonObject = {
        "name": f"{resource.plural}/{below.name}",
        "singularName": "",
        "namespaced": resource.namespaced,
    }
    if _foreign(resource, below):
        row |= {"group": below.kind.group, "version": below.kind.version}
    return {**row, "kind": below.kind.kind, "verbs": below.verbs}


def _aggregated(resource: Resource) -> JsonObject:
    row: JsonObject = {
        "resource": resource.plural,
        "responseKind": _response_kind(resource.kind, named=resource.custom),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": _verbs(resource),
    }
    _name(row, resource)
    below = [_aggregated_subresource(resource, each) for each in _subresources(resource)]
    return {**row, "subresources": below} if below else row


def _aggregated_subresource(resource: Resource, below: Subresource) -> JsonObject:
    named = resource.custom or _foreign(resource, below)
    return {
        "subresource": below.name,
        "responseKind": _response_kind(below.kind, named=named),
        "verbs": below.verbs,
    }


def _response_kind(kind: GroupVersionKind, *, named: bool) -> JsonObject:
    """Built-in resources leave group and version to the list that they stand in."""
    group, version = (kind.group, kind.version) if named else ("", "")
    return {"group": group, "version": version, "kind": kind.kind}
