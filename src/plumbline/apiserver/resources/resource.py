"""What is served: one resource in one version, with its verbs and subresources."""

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from plumbline.kube.names import GroupKind, GroupVersionKind, GroupVersionResource

READ_WRITE = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
STATUS_VERBS = ("get", "patch", "update")


class Collection(NamedTuple):
    """Where objects are stored: all served versions of a resource share one."""

    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


class Subresource(NamedTuple):
    name: str
    kind: GroupVersionKind
    verbs: tuple[str, ...]


class Resource:
    """Compared by identity: a CRD that changes gives a new one."""

    def __init__(  # noqa: PLR0913 - the columns of a discovery table
        self,
        kind: GroupVersionKind,
        plural: str,
        *,
        singular: str,
        namespaced: bool,
        verbs: tuple[str, ...] = READ_WRITE,
        short_names: tuple[str, ...] = (),
        categories: tuple[str, ...] = (),
        subresources: Mapping[str, Subresource] | None = None,
        list_kind: str = "",
        collection: Collection | None = None,
        storage_version: str = "",
        custom: bool = False,
    ) -> None:
        self.kind = kind
        self.plural = plural
        self.singular = singular
        self.namespaced = namespaced
        self.verbs = verbs
        self.short_names = short_names
        self.categories = categories
        self.subresources = subresources or {}
        self.list_kind = list_kind or f"{kind.kind}List"
        self.collection = collection or Collection(kind.group, plural)
        self.storage_version = storage_version or kind.version
        self.custom = custom

    def __repr__(self) -> str:
        return f"Resource({self.plural}.{self.kind.version}.{self.kind.group})"

    @cached_property
    def name(self) -> GroupVersionResource:
        return GroupVersionResource(self.kind.group, self.kind.version, self.plural)

    @property
    def group_kind(self) -> GroupKind:
        return self.kind.group_kind

    @cached_property
    def storage_kind(self) -> GroupVersionKind:
        """In which version its objects are stored."""
        if self.collection == Collection("", "events"):
            return GroupVersionKind("", "v1", "Event")
        return GroupVersionKind(self.kind.group, self.storage_version, self.kind.kind)
