"""Every discovery document of one set of resources. A change of CRDs makes a new set, which keeps what still holds."""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

import msgspec

from plumbline.apiserver.discovery.accept import Clause, clauses_of
from plumbline.apiserver.discovery.groups import Group, Version, arranged
from plumbline.apiserver.discovery.pages import VersionPage
from plumbline.apiserver.discovery.reply import JSON, NOT_ACCEPTABLE, Content, DiscoveryReply, not_modified
from plumbline.apiserver.discovery.version import ServerVersion, server_version
from plumbline.apiserver.resources.resource import Resource
from plumbline.apiserver.statuses import failure
from plumbline.base.json import JsonObject, encode
from plumbline.kube.names import GroupVersion

OTHER_PATHS: Final = (
    "/.well-known/openid-configuration",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
)
"""What the root lists beside groups and versions."""

_AGGREGATED: Final = {"g": "apidiscovery.k8s.io", "v": "v2", "as": "APIGroupDiscoveryList"}
_AGGREGATED_TYPE: Final = f"{JSON};" + ";".join(f"{name}={value}" for name, value in _AGGREGATED.items())
_CONVERSIONS: Final = frozenset(_AGGREGATED)


class Documents:
    """*address* is where clients reach this server; *previous* lends the pages of versions that did not change."""

    def __init__(
        self,
        resources: Iterable[Resource],
        *,
        address: str = "",
        version: ServerVersion | None = None,
        other_paths: Iterable[str] = OTHER_PATHS,
        previous: "Documents | None" = None,
    ) -> None:
        self._address = address
        self._version = version or server_version()
        self._other_paths = tuple(other_paths)
        self._groups = {group.name: group for group in arranged(resources)}
        known: Mapping[GroupVersion, VersionPage] = previous.pages if previous else {}
        self.pages: Mapping[GroupVersion, VersionPage] = _pages(self._groups.values(), known)

    def answer(self, path: str, accept: str = "", if_none_match: str = "") -> DiscoveryReply | None:
        """None means that *path* is no discovery document, or one of a group or version that is not served."""
        if path == "/":
            return DiscoveryReply(200, self._root)
        match path.removesuffix("/").split("/"):
            case ["", "version"]:
                return _negotiated(self._version_body, clauses_of(accept), convertible=True)
            case ["", "api" | "apis" as root]:
                return self._index(root, accept, if_none_match)
            case ["", "api", version]:
                return self._listing(GroupVersion("", version), accept)
            case ["", "apis", group] if group:
                return self._group(group, accept)
            case ["", "apis", group, version] if group:
                return self._listing(GroupVersion(group, version), accept)
        return None

    def _index(self, root: str, accept: str, if_none_match: str) -> DiscoveryReply:
        wanted = clauses_of(accept)
        if not any(_aggregated(clause) for clause in wanted):
            return _negotiated(self._versions if root == "api" else self._group_list, wanted)
        etag, content = self._core_aggregated if root == "api" else self._aggregated
        headers = (("ETag", etag), ("Vary", "Accept"), ("Cache-Control", "public"))
        if if_none_match == etag:
            return not_modified(headers)
        return DiscoveryReply(200, content, content_type=_AGGREGATED_TYPE, headers=headers)

    def _group(self, name: str, accept: str) -> DiscoveryReply | None:
        group = self._groups.get(name)
        if group is None:
            return None
        body = {"kind": "APIGroup", "apiVersion": "v1", **_described(group)}
        return _negotiated(_content(body), clauses_of(accept))

    def _listing(self, name: GroupVersion, accept: str) -> DiscoveryReply | None:
        page = self.pages.get(name)
        return _negotiated(page.listing, clauses_of(accept)) if page else None

    @cached_property
    def _root(self) -> Content:
        paths = {*self._other_paths, "/api", "/apis", "/apis/"}
        for group in self._groups.values():
            base = f"/apis/{group.name}" if group.name else "/api"
            paths |= {base, *(f"{base}/{version.name.version}" for version in group.versions)}
        return Content(msgspec.json.format(encode({"paths": sorted(paths)}), indent=2))

    @cached_property
    def _version_body(self) -> Content:
        return Content(self._version.encoded())

    @cached_property
    def _versions(self) -> Content:
        core = self._groups.get("")
        return _content(
            {
                "kind": "APIVersions",
                "versions": [version.name.version for version in core.versions] if core else [],
                "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": self._address}],
            }
        )

    @cached_property
    def _group_list(self) -> Content:
        groups = [_described(group) for group in self._groups.values() if group.name]
        return _content({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})

    @cached_property
    def _core_aggregated(self) -> tuple[str, Content]:
        return self._aggregate(group for group in self._groups.values() if not group.name)

    @cached_property
    def _aggregated(self) -> tuple[str, Content]:
        return self._aggregate(group for group in self._groups.values() if group.name)

    def _aggregate(self, groups: Iterable[Group]) -> tuple[str, Content]:
        """The tag is a digest of the list without its kind, as upstream makes it."""
        items = [
            {
                "metadata": {"name": group.name} if group.name else {},
                "versions": [msgspec.Raw(self.pages[version.name].fragment) for version in group.versions],
            }
            for group in groups
        ]
        bare = encode({"metadata": {}, "items": items})
        etag = f'"{hashlib.sha512(bare).hexdigest().upper()}"'
        return etag, Content(
            b'{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2",' + bare[1:] + b"\n"
        )


def _pages(groups: Iterable[Group], known: Mapping[GroupVersion, VersionPage]) -> dict[GroupVersion, VersionPage]:
    pages: dict[GroupVersion, VersionPage] = {}
    for group in groups:
        served = {(each.plural, version.name.version) for version in group.versions for each in version.resources}
        for version in group.versions:
            unserved = _unserved(version, served)
            page = known.get(version.name)
            kept = page if page and page.says_the_same_as(version, unserved) else None
            pages[version.name] = kept or VersionPage(version, unserved)
    return pages


def _unserved(version: Version, served: set[tuple[str, str]]) -> frozenset[str]:
    found = (each for each in version.resources if each.custom)
    return frozenset(each.plural for each in found if (each.plural, each.storage_version) not in served)


def _described(group: Group) -> JsonObject:
    versions = [{"groupVersion": str(version.name), "version": version.name.version} for version in group.versions]
    return {"name": group.name, "versions": versions, "preferredVersion": versions[0]}


def _content(body: JsonObject) -> Content:
    return Content(encode(body) + b"\n")


def _aggregated(clause: Clause) -> bool:
    return clause.takes(JSON) and all(clause.parameters.get(name) == value for name, value in _AGGREGATED.items())


def _negotiated(content: Content, wanted: list[Clause], *, convertible: bool = False) -> DiscoveryReply:
    """Plain JSON for whoever takes it: a clause that asks for another form of the object is not met by it."""
    for clause in wanted:
        if clause.takes(JSON) and (convertible or not _CONVERSIONS & clause.parameters.keys()):
            return DiscoveryReply(200, content)
    refusal = failure(NOT_ACCEPTABLE, "NotAcceptable", f"only the following media types are accepted: {JSON}")
    return DiscoveryReply(NOT_ACCEPTABLE, _content(refusal.status))
