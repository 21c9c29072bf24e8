"""Claims of a pod that is to be placed: which must be bound before, and which wait for the place."""

from collections.abc import Sequence
from typing import Final, Protocol

from plumbline.apiserver.nodes.pods.references import claim_name
from plumbline.apiserver.nodes.pods.view import PodView
from plumbline.apiserver.nodes.scheduling.affinity import node_matches
from plumbline.apiserver.nodes.scheduling.placement import Candidate, Place
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
_BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"


class Stores(Protocol):
    def claim(self, namespace: str, name: str) -> JsonObject | None: ...

    def volume(self, name: str) -> JsonObject | None: ...

    def waits_for_consumer(self, claim: JsonObject) -> bool:
        """Whether its class binds claims only when a pod that uses them has a place."""


class PodClaims:
    def __init__(self, pod: Candidate, stores: Stores) -> None:
        self.unbound: list[JsonObject] = []
        """Claims that wait for this pod's place."""
        self.obstacle = ""
        """What keeps the pod from every node."""
        self._bound: list[JsonObject] = []
        self._stores = stores
        view = PodView(pod.obj)
        names = [(claim_name(view, each), bool(each.get("ephemeral"))) for each in pod.spec.get("volumes") or ()]
        self.names: Sequence[str] = [name for name, _ in names if name]
        immediate = False
        for name, ephemeral in names:
            if name and not self.obstacle:
                immediate |= self._sort(pod, name, ephemeral=ephemeral)
        if immediate and not self.obstacle:
            self.obstacle = "pod has unbound immediate PersistentVolumeClaims"

    def fault(self, place: Place) -> str:
        for claim in self._bound:
            volume = self._stores.volume(str(claim["spec"]["volumeName"]))
            if volume is None:
                return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
            required = ((volume.get("spec") or {}).get("nodeAffinity") or {}).get("required")
            if required is not None and not node_matches(required, place):
                return "node(s) didn't match PersistentVolume's node affinity"
        return ""

    def _sort(self, pod: Candidate, name: str, *, ephemeral: bool) -> bool:
        """Whether the claim is one that has to be bound, and is not."""
        claim = self._stores.claim(pod.namespace, name)
        self.obstacle = _obstacle(claim, name, ephemeral=ephemeral)
        if claim is None or self.obstacle:
            return False
        annotations = metadata_of(claim).get("annotations") or {}
        if (claim.get("spec") or {}).get("volumeName") and _BIND_COMPLETED in annotations:
            self._bound.append(claim)
            return False
        if self._stores.waits_for_consumer(claim) and not (claim.get("spec") or {}).get("volumeName"):
            self.unbound.append(claim)
            return False
        return True


def _obstacle(claim: JsonObject | None, name: str, *, ephemeral: bool) -> str:
    if claim is None:
        if ephemeral:
            return f"waiting for ephemeral volume controller to create the persistentvolumeclaim {quoted(name)}"
        return f"persistentvolumeclaim {quoted(name)} not found"
    if (claim.get("status") or {}).get("phase") == "Lost":
        volume = quoted(str((claim.get("spec") or {}).get("volumeName")))
        return f"persistentvolumeclaim {quoted(name)} bound to non-existent persistentvolume {volume}"
    if metadata_of(claim).get("deletionTimestamp"):
        return f"persistentvolumeclaim {quoted(name)} is being deleted"
    return ""
