"""Binds claims to volumes, makes volumes for claims whose class says so, and lets them grow."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.nodes.events import Note, Recorder
from plumbline.apiserver.nodes.kinds import CLAIM, STORAGE_CLASS, VOLUME
from plumbline.apiserver.nodes.scheduling.volumes import SELECTED_NODE
from plumbline.apiserver.nodes.volumes.matching import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    annotations_of,
    best_match,
    capacity,
    claim_ref,
    class_of,
    default_class,
    lacks_class,
    phase_of,
    refers_to,
    requested,
    spec_of,
)
from plumbline.apiserver.nodes.volumes.provisioning import NO_PROVISIONER, provisioned_volume
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind

COMPONENT: Final = "persistentvolume-controller"
_PROVISIONER: Final = "volume.kubernetes.io/storage-provisioner"
_BETA_PROVISIONER: Final = "volume.beta.kubernetes.io/storage-provisioner"


class ClaimBinder:
    name = "persistentvolume-binder-controller"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._recorder = Recorder(cluster, COMPONENT)
        self._pending: dict[Key, None] = {}

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {CLAIM: self._of_claim, VOLUME: self._of_volume, STORAGE_CLASS: lambda *_: tuple(self._pending)}

    async def reconcile(self, key: Key) -> float | None:
        claim = self._cluster.at(key)
        if claim is None:
            self._pending.pop(key, None)
            return None
        if BIND_COMPLETED in annotations_of(claim):
            self._pending.pop(key, None)
            await self._keep(claim)
        elif not metadata_of(claim).get("deletionTimestamp"):
            self._pending[key] = None
            await self._find(claim)
        return None

    async def _find(self, claim: JsonObject) -> None:
        """A volume for a claim that has none."""
        if spec_of(claim).get("volumeName"):
            await self._take(claim, self._cluster.get(VOLUME, "", str(spec_of(claim)["volumeName"])))
            return
        if lacks_class(claim):
            default = default_class(self._cluster.objects(STORAGE_CLASS))
            if default is not None:
                name = metadata_of(default)["name"]
                await self._cluster.edit(
                    claim, lambda live: {**live, "spec": {**spec_of(live), "storageClassName": name}}
                )
                return
        class_ = self._cluster.get(STORAGE_CLASS, "", class_of(claim)) if class_of(claim) else None
        waits = (class_ or {}).get("volumeBindingMode") == "WaitForFirstConsumer"
        reserved = best_match(claim, self._cluster.objects(VOLUME))
        chosen = SELECTED_NODE in annotations_of(claim)
        if waits and not chosen and not (reserved and spec_of(reserved).get("claimRef")):
            message = "waiting for first consumer to be created before binding"
            await self._recorder.record(claim, Note("WaitForFirstConsumer", message))
        elif reserved is not None:
            await self._bind(claim, reserved)
        else:
            await self._provision(claim, class_)

    async def _provision(self, claim: JsonObject, class_: JsonObject | None) -> None:
        if not class_of(claim):
            message = "no persistent volumes available for this claim and no storage class is set"
            await self._recorder.record(claim, Note("FailedBinding", message))
            return
        if class_ is None:
            message = f"storageclass.storage.k8s.io {quoted(class_of(claim))} not found"
            await self._recorder.record(claim, Note("ProvisioningFailed", message, warning=True))
            return
        provisioner = str(class_.get("provisioner"))
        if provisioner == NO_PROVISIONER:
            return
        marks = {_PROVISIONER: provisioner, _BETA_PROVISIONER: provisioner}
        claim = await self._cluster.edit(claim, lambda live: _annotated(live, marks))
        volume = self._cluster.get(VOLUME, "", f"pvc-{metadata_of(claim)['uid']}")
        if volume is None:
            volume = await self._cluster.create(provisioned_volume(claim, class_), manager=provisioner)
            message = f"Successfully provisioned volume {metadata_of(volume)['name']}"
            await self._recorder.record(claim, Note("ProvisioningSucceeded", message))
        await self._bind(claim, volume)

    async def _take(self, claim: JsonObject, volume: JsonObject | None) -> None:
        """The volume that the claim asks for by name, once it is there and free."""
        if volume is None:
            return
        ref = spec_of(volume).get("claimRef")
        if ref and not refers_to(volume, claim):
            there = quoted(str(metadata_of(volume)["name"]))
            message = f"volume {there} already bound to a different claim."
            await self._recorder.record(claim, Note("FailedBinding", message, warning=True))
            return
        await self._bind(claim, volume)

    async def _bind(self, claim: JsonObject, volume: JsonObject) -> None:
        ref = spec_of(volume).get("claimRef") or {}
        if not ref.get("uid"):
            marks = {} if ref else {BOUND_BY_CONTROLLER: "yes"}
            volume = await self._cluster.edit(volume, lambda live: _claimed(live, claim, marks))
        if phase_of(volume) != "Bound":
            volume = await self._cluster.set_status(volume, {**(volume.get("status") or {}), "phase": "Bound"})
        asked = bool(spec_of(claim).get("volumeName"))
        done = {BIND_COMPLETED: "yes"} if asked else {BIND_COMPLETED: "yes", BOUND_BY_CONTROLLER: "yes"}
        name = metadata_of(volume)["name"]
        claim = await self._cluster.edit(
            claim, lambda live: _annotated({**live, "spec": {**spec_of(live), "volumeName": name}}, done)
        )
        await self._cluster.set_status(claim, _bound_status(claim, volume))

    async def _keep(self, claim: JsonObject) -> None:
        """A claim that has its volume: lost if that is gone, larger if both sides agree."""
        volume = self._cluster.get(VOLUME, "", str(spec_of(claim).get("volumeName") or ""))
        if volume is None:
            if phase_of(claim) != "Lost":
                await self._cluster.set_status(claim, {"phase": "Lost"})
                message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
                await self._recorder.record(claim, Note("ClaimLost", message, warning=True))
            return
        if requested(claim) > capacity(volume) and self._expandable(claim):
            wanted = str(requested(claim))
            volume = await self._cluster.edit(
                volume,
                lambda live: {
                    **live,
                    "spec": {**spec_of(live), "capacity": {**(spec_of(live).get("capacity") or {}), "storage": wanted}},
                },
            )
        if phase_of(volume) != "Bound" and refers_to(volume, claim):
            volume = await self._cluster.set_status(volume, {**(volume.get("status") or {}), "phase": "Bound"})
        await self._cluster.set_status(claim, _bound_status(claim, volume))

    def _expandable(self, claim: JsonObject) -> bool:
        class_ = self._cluster.get(STORAGE_CLASS, "", class_of(claim))
        return bool((class_ or {}).get("allowVolumeExpansion"))

    def _of_claim(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        return (entry.key,)

    def _of_volume(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        ref = spec_of(entry.object()).get("claimRef")
        if not ref:
            return tuple(self._pending)
        return (self._cluster.key(CLAIM, str(ref.get("namespace")), str(ref.get("name"))),)


def _annotated(obj: JsonObject, marks: Mapping[str, str]) -> JsonObject:
    return with_metadata(obj, annotations={**annotations_of(obj), **marks} or None)


def _claimed(volume: JsonObject, claim: JsonObject, marks: Mapping[str, str]) -> JsonObject:
    return _annotated({**volume, "spec": {**spec_of(volume), "claimRef": claim_ref(claim)}}, marks)


def _bound_status(claim: JsonObject, volume: JsonObject) -> JsonObject:
    return {
        **(claim.get("status") or {}),
        "phase": "Bound",
        "accessModes": spec_of(volume).get("accessModes") or [],
        "capacity": spec_of(volume).get("capacity") or {},
    }
