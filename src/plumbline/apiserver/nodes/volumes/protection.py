"""Keeps claims that pods use from going away, and makes the claims that pods bring along themselves."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.nodes.kinds import CLAIM, POD
from plumbline.apiserver.nodes.pods.references import claim_name
from plumbline.apiserver.nodes.pods.view import PodView
from plumbline.apiserver.nodes.volumes.reclaiming import without_finalizer
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind

PVC_PROTECTION: Final = "kubernetes.io/pvc-protection"


class ClaimProtector:
    name = "persistentvolumeclaim-protection-controller"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {CLAIM: lambda entry, _: (entry.key,), POD: self._of_pod}

    async def reconcile(self, key: Key) -> float | None:
        claim = self._cluster.at(key)
        if claim is None:
            return None
        metadata = metadata_of(claim)
        protected = PVC_PROTECTION in (metadata.get("finalizers") or ())
        if metadata.get("deletionTimestamp") and protected and not self._used(key):
            await self._cluster.edit(claim, lambda live: without_finalizer(live, PVC_PROTECTION))
        return None

    def _used(self, key: Key) -> bool:
        for entry in self._cluster.entries(POD, key.namespace):
            if _mentions_claims(entry):
                pod = PodView(entry.object())
                if pod.node and not pod.finished and key.name in _claims(pod):
                    return True
        return False

    def _of_pod(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        if not _mentions_claims(entry):
            return ()
        return [self._cluster.key(CLAIM, entry.key.namespace, name) for name in _claims(PodView(entry.object()))]


class EphemeralClaimer:
    """Makes the claim of each ephemeral volume; it goes with its pod."""

    name = "ephemeral-volume-controller"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {POD: lambda entry, _: (entry.key,) if b'"ephemeral"' in entry.body else ()}

    async def reconcile(self, key: Key) -> float | None:
        obj = self._cluster.at(key)
        if obj is None or metadata_of(obj).get("deletionTimestamp"):
            return None
        pod = PodView(obj)
        for volume in pod.spec.get("volumes") or ():
            if volume.get("ephemeral"):
                name = claim_name(pod, volume)
                if self._cluster.get(CLAIM, pod.namespace, name) is None:
                    await self._cluster.create(_ephemeral_claim(pod, volume, name))
        return None


def _ephemeral_claim(pod: PodView, volume: JsonObject, name: str) -> JsonObject:
    template: JsonObject = volume["ephemeral"].get("volumeClaimTemplate") or {}
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": pod.name,
        "uid": pod.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    given = metadata_of(template)
    metadata: JsonObject = {"name": name, "namespace": pod.namespace, "ownerReferences": [owner]}
    metadata.update({field: given[field] for field in ("labels", "annotations") if given.get(field)})
    spec = template.get("spec") or {}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def _claims(pod: PodView) -> list[str]:
    names = [claim_name(pod, volume) for volume in pod.spec.get("volumes") or ()]
    return [name for name in names if name]


def _mentions_claims(entry: Entry) -> bool:
    return b'"persistentVolumeClaim"' in entry.body or b'"ephemeral"' in entry.body
