"""Which kinds a cluster serves, where they live, and what their objects look like."""

from plumbline.base.errors import NotFound, PlumblineError, UnknownKind
from plumbline.base.json import decode
from plumbline.kube.client import Client, Target
from plumbline.kube.client.catalog import Catalog, Resource
from plumbline.kube.names import GroupKind, GroupVersionKind, GroupVersionResource
from plumbline.kube.schema import FREE, Shape, builtin_shape, crd_shape

_CRDS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")


class Kinds:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._shapes: dict[GroupVersionKind, Shape] = {}
        self._shaped_by: Catalog | None = None

    async def resource(self, gvk: GroupVersionKind) -> Resource | None:
        """Where objects of the kind are; None where the cluster does not serve it."""
        try:
            return await self._client.discovery.resource(gvk)
        except UnknownKind:
            return None

    async def serves(self, kind: GroupKind) -> bool:
        """Whether the cluster serves the kind, in whichever version."""
        return (await self.catalog()).by_kind(kind) is not None

    async def catalog(self) -> Catalog:
        return await self._client.discovery.catalog()

    def forget(self) -> None:
        """A definition was just made or changed: ask again."""
        self._client.discovery.forget()

    async def shape(self, gvk: GroupVersionKind) -> Shape:
        """How objects of the kind are merged and compared; free-form where nobody says."""
        catalog = await self.catalog()
        if catalog is not self._shaped_by:
            self._shapes, self._shaped_by = {}, catalog
        shapes = self._shapes  # those of this catalog: by the time that a definition has come there may be others
        known = shapes.get(gvk)
        if known is None:
            known = shapes[gvk] = builtin_shape(gvk) or await self._defined(gvk, catalog)
        return known

    async def _defined(self, gvk: GroupVersionKind, catalog: Catalog) -> Shape:
        resource = catalog.by_kind(gvk)
        if resource is None:
            return FREE
        try:
            crd = await self._client.get(Target(_CRDS, name=f"{resource.name}.{resource.group}"))
            return crd_shape(decode(crd), gvk.version)
        except NotFound:
            return FREE  # served by another API server
        except PlumblineError:
            self._shaped_by = None  # not known now is not known for good
            return FREE
