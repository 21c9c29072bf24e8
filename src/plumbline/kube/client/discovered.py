"""The two forms in which servers describe what they serve, read into `Resource`s."""

import msgspec

from plumbline.kube.client.bodies import decode
from plumbline.kube.client.catalog import Resource
from plumbline.kube.client.targets import JSON
from plumbline.kube.names import GroupVersion

_AGGREGATED = "g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
ACCEPT = ",".join((*(f"{JSON};{_AGGREGATED.format(version)}" for version in ("v2", "v2beta1")), JSON))


class _Kind(msgspec.Struct, frozen=True):
    kind: str = ""


class _Subresource(msgspec.Struct, frozen=True):
    subresource: str


class _AggregatedResource(msgspec.Struct, frozen=True, rename="camel"):
    resource: str
    scope: str
    response_kind: _Kind | None = None
    verbs: list[str] | None = None
    singular_resource: str = ""
    short_names: list[str] | None = None
    categories: list[str] | None = None
    subresources: list[_Subresource] | None = None


class _AggregatedVersion(msgspec.Struct, frozen=True):
    version: str
    freshness: str = "Current"
    resources: list[_AggregatedResource] | None = None


class _Name(msgspec.Struct, frozen=True):
    name: str = ""


class _AggregatedGroup(msgspec.Struct, frozen=True):
    metadata: _Name = _Name()
    versions: list[_AggregatedVersion] | None = None


class _AggregatedList(msgspec.Struct, frozen=True):
    items: list[_AggregatedGroup]


class _LegacyVersions(msgspec.Struct, frozen=True):
    versions: list[str]


class _LegacyVersion(msgspec.Struct, frozen=True, rename="camel"):
    version: str


class _LegacyGroup(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    versions: list[_LegacyVersion]
    preferred_version: _LegacyVersion | None = None


class _LegacyGroups(msgspec.Struct, frozen=True):
    groups: list[_LegacyGroup]


class _LegacyResource(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    kind: str
    namespaced: bool
    verbs: list[str] | None = None
    singular_name: str = ""
    short_names: list[str] | None = None
    categories: list[str] | None = None


class _LegacyResources(msgspec.Struct, frozen=True):
    resources: list[_LegacyResource]


_aggregated = msgspec.json.Decoder(_AggregatedList)
_legacy_versions = msgspec.json.Decoder(_LegacyVersions)
_legacy_groups = msgspec.json.Decoder(_LegacyGroups)
_legacy_resources = msgspec.json.Decoder(_LegacyResources)

Described = tuple[list[Resource], dict[GroupVersion, str]]
"""Resources, and group versions that are listed but cannot be described now."""


def aggregated(body: bytes, path: str) -> Described:
    resources: list[Resource] = []
    unavailable: dict[GroupVersion, str] = {}
    for group in decode(body, _aggregated, path).items:
        for version in group.versions or ():
            at = GroupVersion(group.metadata.name, version.version)
            if version.freshness == "Stale":
                unavailable[at] = "the server that serves it does not answer; what is known about it is old"
            resources += (_from_aggregated(at, found) for found in version.resources or () if found.response_kind)
    return resources, unavailable


def _from_aggregated(at: GroupVersion, found: _AggregatedResource) -> Resource:
    return Resource(
        group=at.group,
        version=at.version,
        name=found.resource,
        kind=found.response_kind.kind if found.response_kind else "",
        namespaced=found.scope == "Namespaced",
        verbs=frozenset(found.verbs or ()),
        singular=found.singular_resource,
        short_names=tuple(found.short_names or ()),
        categories=tuple(found.categories or ()),
        subresources=frozenset(sub.subresource for sub in found.subresources or ()),
    )


def core_versions(body: bytes) -> list[GroupVersion]:
    return [GroupVersion("", version) for version in decode(body, _legacy_versions, "/api").versions]


def group_versions(body: bytes) -> list[GroupVersion]:
    """All of them, in each group the preferred one first."""
    found: list[GroupVersion] = []
    for group in decode(body, _legacy_groups, "/apis").groups:
        preferred = group.preferred_version.version if group.preferred_version else ""
        names = [version.version for version in group.versions]
        found += (GroupVersion(group.name, name) for name in sorted(names, key=lambda name: name != preferred))
    return found


def legacy(at: GroupVersion, body: bytes) -> list[Resource]:
    listed = decode(body, _legacy_resources, str(at)).resources
    subresources: dict[str, set[str]] = {}
    for resource in listed:
        name, _, subresource = resource.name.partition("/")
        subresources.setdefault(name, set()).update(filter(None, (subresource,)))
    return [
        Resource(
            group=at.group,
            version=at.version,
            name=found.name,
            kind=found.kind,
            namespaced=found.namespaced,
            verbs=frozenset(found.verbs or ()),
            singular=found.singular_name,
            short_names=tuple(found.short_names or ()),
            categories=tuple(found.categories or ()),
            subresources=frozenset(subresources[found.name]),
        )
        for found in listed
        if "/" not in found.name
    ]
