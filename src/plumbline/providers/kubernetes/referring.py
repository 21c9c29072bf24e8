"""What an Object refers to: waited for, copied from, and kept while it is needed."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import FieldNotFound, Transient
from plumbline.base.json import JsonObject, encode
from plumbline.kube.client import Writing
from plumbline.kube.fieldpath import get_path, set_path
from plumbline.kube.object import Object as View
from plumbline.providers.kubernetes.clusters import Cluster
from plumbline.providers.kubernetes.reading import Reference

PREFIX: Final = "kubernetes.crossplane.io/referred-by-object-"
_HOLDING: Final = Writing(field_manager="provider-kubernetes")


class Referred:
    """Always of the cluster at hand, wherever the object itself is."""

    def __init__(self, admitted: Cluster, local: Cluster) -> None:
        """*admitted* is what of the cluster at hand may be referred to; our own mark is taken off wherever it is."""
        self._admitted = admitted
        self._local = local

    async def found(self, references: Iterable[Reference]) -> list[JsonObject]:
        """Each of them, or Transient for the first that is not there."""
        found = []
        for each in references:
            obj = await self._admitted.find(each.gvk, each.namespace, each.name)
            if obj is None:
                raise Transient(f"it refers to {each}", why="which is not there, or not yet")
            found.append(obj)
        return found

    async def hold(self, references: tuple[Reference, ...], uid: str) -> None:
        """Keep them from going before what needs them."""
        for each in _distinct(references):
            (obj,) = await self.found((each,))
            await self._write(each, obj, View(obj).with_finalizer(PREFIX + uid))

    async def release(self, references: tuple[Reference, ...], uid: str) -> None:
        for each in _distinct(references):
            obj = await self._local.find(each.gvk, each.namespace, each.name)
            if obj is not None:
                await self._write(each, obj, View(obj).without_finalizer(PREFIX + uid))

    async def held(self, references: tuple[Reference, ...], uid: str) -> tuple[Reference, ...]:
        """Those of them that still have our mark."""
        found = []
        for each in _distinct(references):
            obj = await self._local.find(each.gvk, each.namespace, each.name)
            if obj is not None and PREFIX + uid in View(obj).finalizers:
                found.append(each)
        return tuple(found)

    async def _write(self, reference: Reference, before: JsonObject, after: View) -> None:
        if after.raw is before:
            return
        resource = await self._local.resource(reference.gvk)
        # Pinned: somebody else's finalizer that came meanwhile is not lost.
        pinned = {"resourceVersion": after.resource_version, "finalizers": list(after.finalizers) or None}
        target = resource.target(reference.namespace, reference.name)
        await self._local.client.patch(target, encode({"metadata": pinned}), "merge", _HOLDING)


def _distinct(references: Iterable[Reference]) -> tuple[Reference, ...]:
    """Each thing once, however many fields are copied from it."""
    return tuple(dict.fromkeys(each._replace(from_path="", to_path="") for each in references))


def patched(manifest: JsonObject, references: Iterable[Reference], found: Iterable[JsonObject]) -> JsonObject:
    """*manifest* with what is copied from others. Transient where they do not have it yet."""
    for reference, obj in zip(references, found, strict=True):
        if reference.from_path:
            try:
                value = get_path(obj, reference.from_path)
            except FieldNotFound as missing:
                raise Transient(f"{reference} has nothing at {reference.from_path}", why=str(missing)) from missing
            manifest = set_path(manifest, reference.to_path, value)
    return manifest
