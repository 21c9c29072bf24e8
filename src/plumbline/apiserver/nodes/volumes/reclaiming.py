"""Phases of volumes, and what becomes of one whose claim is gone."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.nodes.kinds import CLAIM, VOLUME
from plumbline.apiserver.nodes.volumes.matching import phase_of, spec_of
from plumbline.apiserver.nodes.volumes.provisioning import PV_PROTECTION
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind


class VolumeReclaimer:
    """Deletes what is to be deleted, whoever made it: there is no storage that could be left behind."""

    name = "persistentvolume-reclaimer"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {VOLUME: lambda entry, _: (entry.key,), CLAIM: self._of_claim}

    async def reconcile(self, key: Key) -> float | None:
        volume = self._cluster.at(key)
        if volume is None:
            return None
        phase = self._phase(volume)
        if phase != phase_of(volume):
            volume = await self._cluster.set_status(volume, {**(volume.get("status") or {}), "phase": phase})
        deleted = bool(metadata_of(volume).get("deletionTimestamp"))
        if phase == "Released" and spec_of(volume).get("persistentVolumeReclaimPolicy") == "Delete" and not deleted:
            await self._cluster.delete(volume)
            return None
        if deleted and phase != "Bound" and PV_PROTECTION in (metadata_of(volume).get("finalizers") or ()):
            await self._cluster.edit(volume, lambda live: without_finalizer(live, PV_PROTECTION))
        return None

    def _phase(self, volume: JsonObject) -> str:
        ref = spec_of(volume).get("claimRef") or {}
        old = phase_of(volume)
        if not ref.get("uid"):
            return "Available"
        claim = self._cluster.get(CLAIM, str(ref.get("namespace")), str(ref.get("name")))
        if claim is None or metadata_of(claim).get("uid") != ref["uid"]:
            return old if old == "Failed" else "Released"
        # Whether it is bound is for the one to say who binds.
        return old or "Available"

    def _of_claim(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        name = spec_of(entry.object()).get("volumeName")
        return (self._cluster.key(VOLUME, "", str(name)),) if name else ()


def without_finalizer(obj: JsonObject, finalizer: str) -> JsonObject:
    left = [each for each in metadata_of(obj).get("finalizers") or () if each != finalizer]
    return with_metadata(obj, finalizers=left or None)
