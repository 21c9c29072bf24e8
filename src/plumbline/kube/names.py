"""What Kubernetes calls things: groups, versions, kinds, resources, and one object among all."""

from functools import lru_cache
from typing import NamedTuple

from plumbline.base.json import JsonObject


class GroupKind(NamedTuple):
    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


class GroupVersion(NamedTuple):
    group: str
    version: str

    def __str__(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @classmethod
    def parse(cls, api_version: str) -> "GroupVersion":
        group, _, version = api_version.rpartition("/")
        return cls(group, version)


class GroupVersionKind(NamedTuple):
    group: str
    version: str
    kind: str

    @classmethod
    def parse(cls, api_version: str, kind: str) -> "GroupVersionKind":
        return cls(*GroupVersion.parse(api_version), kind)

    @classmethod
    def of(cls, obj: JsonObject) -> "GroupVersionKind":
        return _kind_of(str(obj.get("apiVersion") or ""), str(obj.get("kind") or ""))

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_kind(self) -> GroupKind:
        return GroupKind(self.group, self.kind)

    def __str__(self) -> str:
        """As the API server prints it in errors: with its slash even where the group has no name."""
        return f"{self.group}/{self.version}, Kind={self.kind}"


@lru_cache(maxsize=4096)
def _kind_of(api_version: str, kind: str) -> GroupVersionKind:
    """Objects are asked for their kind all the time, and there are few kinds."""
    return GroupVersionKind.parse(api_version, kind)


class GroupVersionResource(NamedTuple):
    group: str
    version: str
    resource: str

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def root(self) -> str:
        """The URL path under which its collections live."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def __str__(self) -> str:
        """As the API server prints it in errors: `deployments.apps`."""
        return f"{self.resource}.{self.group}" if self.group else self.resource


class Ref(NamedTuple):
    """One object among all of a cluster, whatever version it is read in."""

    group: str
    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, obj: JsonObject) -> "Ref":
        group, _, kind = GroupVersionKind.of(obj)
        metadata = obj.get("metadata")
        named = metadata if isinstance(metadata, dict) else {}
        return cls(group, kind, str(named.get("namespace") or ""), str(named.get("name") or ""))

    def __str__(self) -> str:
        kind = GroupKind(self.group, self.kind)
        return f"{kind}/{self.namespace}/{self.name}" if self.namespace else f"{kind}/{self.name}"
