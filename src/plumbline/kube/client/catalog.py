"""What a server serves, as a value: kinds to resources and back, preferred versions, short names, scope, verbs."""

from collections.abc import Iterable, Mapping

import msgspec

from plumbline.kube.client.targets import Target
from plumbline.kube.names import GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    group: str
    version: str
    name: str
    """The plural in URLs."""
    kind: str
    namespaced: bool
    verbs: frozenset[str] = frozenset()
    singular: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: frozenset[str] = frozenset()

    @property
    def gvr(self) -> GroupVersionResource:
        return GroupVersionResource(self.group, self.version, self.name)

    @property
    def gvk(self) -> GroupVersionKind:
        return GroupVersionKind(self.group, self.version, self.kind)

    def target(self, namespace: str = "", name: str = "", subresource: str = "") -> Target:
        """Where its objects are; a namespace given for a kind without one is left out."""
        return Target(self.gvr, namespace if self.namespaced else "", name, subresource)


class Catalog:
    """All resources in the server's order of preference: groups as listed, in each the preferred version first."""

    def __init__(
        self, resources: Iterable[Resource] = (), unavailable: Mapping[GroupVersion, str] | None = None
    ) -> None:
        self.resources = tuple(resources)
        self.unavailable = dict(unavailable or {})
        """Group versions that the server lists but cannot describe now, and why."""
        self._by_kind: dict[GroupVersionKind, Resource] = {}
        self._preferred: dict[GroupKind, Resource] = {}
        self._by_name: dict[str, list[Resource]] = {}
        for resource in self.resources:
            self._by_kind.setdefault(resource.gvk, resource)
            self._preferred.setdefault(resource.gvk.group_kind, resource)
            for name in {resource.name, resource.singular, resource.kind.lower(), *resource.short_names} - {""}:
                self._by_name.setdefault(name, []).append(resource)

    def by_kind(self, kind: GroupVersionKind | GroupKind) -> Resource | None:
        """The resource of *kind*; without a version, in the preferred one."""
        return self._by_kind.get(kind) if isinstance(kind, GroupVersionKind) else self._preferred.get(kind)

    def by_name(self, text: str) -> Resource | None:
        """As people type it: `deploy`, `Deployment`, `deployments.apps` or `deployments.v1.apps`."""
        name, _, rest = text.lower().partition(".")
        found = self._by_name.get(name, ())
        rest = rest.rstrip(".")
        fits = (r for r in found if not rest or rest in {r.group, f"{r.version}.{r.group}".rstrip(".")})
        return next(fits, None)
