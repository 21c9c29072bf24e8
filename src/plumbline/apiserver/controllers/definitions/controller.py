"""From a CRD that was written to one that is served, and from one that is deleted to nothing."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.controllers.definitions.serving import CustomResources
from plumbline.apiserver.crds.conditions import (
    FINALIZER,
    names_accepted,
    obstructed_status,
    terminated_status,
    terminating_status,
)
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind

DEFINITION: Final = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_MANAGER: Final = "kube-apiserver"
_AGAIN_S: Final = 0.5
_MOST_TOLD: Final = 10


class DefinitionController:
    """CRDs of one group look at each other: a name that one gives up another may be waiting for.

    Objects of one that take their time to go keep no other from being served.
    """

    name = "custom-resource-definitions"
    at_once = 5

    def __init__(self, cluster: Cluster, resources: CustomResources) -> None:
        self._cluster = cluster
        self._resources = resources
        self._naming = asyncio.Lock()
        """No two get one name."""

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {DEFINITION: self._group}

    def _group(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        yield entry.key
        if not self._cluster.visible(entry.key):
            for other in self._siblings(entry.key):
                yield other.key

    async def reconcile(self, key: Key) -> float | None:
        crd = self._cluster.at(key)
        if crd is None:
            self._resources.withdraw(key.name)
            return None
        if metadata_of(crd).get("deletionTimestamp"):
            return await self._finalize(crd)
        async with self._naming:
            others = [other.object() for other in self._siblings(key) if other.key != key]
            status = names_accepted(crd, others, self._cluster.now())
            if status is not None:
                crd = await self._cluster.set_status(crd, status, manager=_MANAGER)
        self._offer(crd)
        return None

    def _siblings(self, key: Key) -> Iterator[Entry]:
        """The CRDs of its group, itself among them: their names say so, and CRDs are too many and too large to read all."""
        group = key.name.partition(".")[2]
        return (each for each in self._cluster.entries(DEFINITION) if each.key.name.partition(".")[2] == group)

    def _offer(self, crd: JsonObject) -> None:
        self._resources.offer(crd, int(metadata_of(crd)["resourceVersion"]))

    async def _finalize(self, crd: JsonObject) -> float | None:
        self._offer(crd)
        if FINALIZER not in (metadata_of(crd).get("finalizers") or ()):
            return None
        kind = GroupKind(crd["spec"]["group"], str((crd.get("status") or {}).get("acceptedNames", {}).get("kind")))
        served = self._resources.serves(metadata_of(crd)["name"]) and self._cluster.serves(kind)
        remaining = self._cluster.objects(kind) if served else []
        refusals = await self._cluster.delete_each(remaining)
        if refusals:
            reasons = sorted({refused.what for refused in refusals})[:_MOST_TOLD]
            await self._cluster.set_status(crd, obstructed_status(crd, reasons, self._cluster.now()), manager=_MANAGER)
            raise refusals[0]
        if remaining and self._cluster.objects(kind):
            await self._cluster.set_status(crd, terminating_status(crd, self._cluster.now()), manager=_MANAGER)
            return _AGAIN_S
        crd = await self._cluster.set_status(crd, terminated_status(crd, self._cluster.now()), manager=_MANAGER)
        await self._cluster.edit(crd, _without_finalizer, manager=_MANAGER)
        return None


def _without_finalizer(crd: JsonObject) -> JsonObject:
    kept = [each for each in metadata_of(crd).get("finalizers") or () if each != FINALIZER]
    return with_metadata(crd, finalizers=kept or None)
