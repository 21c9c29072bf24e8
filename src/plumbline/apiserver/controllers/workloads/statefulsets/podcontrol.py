"""Carries out what a StatefulSet plans for one pod and its claims, and tells the set about it."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.workloads import kinds
from plumbline.apiserver.controllers.workloads.podviews import Pod
from plumbline.apiserver.controllers.workloads.statefulsets.identity import (
    claims_of,
    identity_labels,
    ordinal_of,
    with_storage,
)
from plumbline.apiserver.controllers.workloads.statefulsets.planning import Action, Verb
from plumbline.apiserver.controllers.workloads.statefulsets.retention import (
    Keepers,
    is_contested,
    is_settled,
    settled,
)
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

COMPONENT: Final = "statefulset-controller"
_EXISTS: Final = "AlreadyExists"


class StatefulPodControl:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def carry_out(self, owner: Object, action: Action) -> RequestRefused | None:
        """The refusal, if there was one."""
        verb, pod, planned = action
        try:
            if verb is Verb.CREATE:
                await self._create(owner, pod, planned)
            elif verb is Verb.DELETE:
                await self._delete(owner, pod)
            elif verb is Verb.PROVIDE:
                await self._provide(owner, pod)
                await self._settle(owner, pod)
            elif verb is Verb.RETAIN:
                await self._settle(owner, pod)
            else:
                await self._adjust(owner, pod)
        except RequestRefused as refused:
            return refused
        return None

    async def _create(self, owner: Object, pod: Pod, planned: JsonObject) -> None:
        try:
            await self._provide(owner, pod)
            await self._cluster.create(planned)
        except RequestRefused as refused:
            if refused.status.get("reason") != _EXISTS:
                await self._tell_pod(owner, pod, "Create", refused)
            raise
        await self._settle(owner, pod)
        await self._tell_pod(owner, pod, "Create")

    async def _delete(self, owner: Object, pod: Pod) -> None:
        try:
            await self._cluster.delete(pod.reference)
        except RequestRefused as refused:
            await self._tell_pod(owner, pod, "Delete", refused)
            raise
        await self._tell_pod(owner, pod, "Delete")

    async def _adjust(self, owner: Object, pod: Pod) -> None:
        ordinal = ordinal_of(pod)

        def change(live: JsonObject) -> JsonObject:
            labels = {**Object(live).labels, **identity_labels(owner, ordinal)}
            return with_storage(owner, ordinal, with_metadata(live, labels=labels))

        try:
            await self._provide(owner, pod)
            await self._settle(owner, pod)
            await self._cluster.edit(pod.reference, change)
        except RequestRefused as refused:
            await self._tell_pod(owner, pod, "Update", refused)
            raise
        await self._tell_pod(owner, pod, "Update")

    async def _provide(self, owner: Object, pod: Pod) -> None:
        """Create the claims that are missing; one that is being deleted has to be gone first."""
        for claim in claims_of(owner, ordinal_of(pod)):
            name = claim["metadata"]["name"]
            there = self._cluster.get(kinds.CLAIM, owner.namespace, name)
            if there is None:
                await self._create_claim(owner, pod, claim)
            elif metadata_of(there).get("deletionTimestamp"):
                raise statuses.plain_failure(409, f"pvc {name} is being deleted")

    async def _create_claim(self, owner: Object, pod: Pod, claim: JsonObject) -> None:
        name = claim["metadata"]["name"]
        whose = f"{name} Pod {pod.name} in StatefulSet {owner.name}"
        try:
            await self._cluster.create(claim)
        except RequestRefused as refused:
            if refused.status.get("reason") != _EXISTS:
                whose = f"{name} for Pod {pod.name} in StatefulSet {owner.name}"
                message = f"Create Claim {whose} failed error: {refused.what}"
                await self._tell(owner, "FailedCreate", message, warning=True)
            why = f"failed to create PVC {name}: {refused.what}"
            raise RequestRefused({**refused.status, "message": why}) from refused
        await self._tell(owner, "SuccessfulCreate", f"Create Claim {whose} success")

    async def _settle(self, owner: Object, pod: Pod) -> None:
        """Give its claims the owners that the retention policy asks for."""
        keepers = Keepers(owner, pod)
        for claim in self._claims(owner, pod):
            if is_contested(claim, keepers):
                message = (
                    f"PersistentVolumeClaim {claim.name} has a conflicting OwnerReference that acts as a manging "
                    "controller, the retention policy is ignored for this claim"
                )
                await self._tell(owner, "ConflictingController", message, warning=True)
            if not is_settled(claim, keepers):
                await self._cluster.edit(claim.raw, lambda live: settled(live, keepers))

    def _claims(self, owner: Object, pod: Pod) -> Iterator[Object]:
        for wanted in claims_of(owner, ordinal_of(pod)):
            there = self._cluster.get(kinds.CLAIM, owner.namespace, wanted["metadata"]["name"])
            if there is not None:
                yield Object(there)

    async def _tell_pod(self, owner: Object, pod: Pod, verb: str, refused: RequestRefused | None = None) -> None:
        which = f"{verb} Pod {pod.name} in StatefulSet {owner.name}"
        if refused is None:
            await self._tell(owner, f"Successful{verb}", f"{which} successful")
        else:
            await self._tell(owner, f"Failed{verb}", f"{which} failed error: {refused.what}", warning=True)

    async def _tell(self, owner: Object, reason: str, message: str, *, warning: bool = False) -> None:
        await self._cluster.record(owner.raw, reason, message, warning=warning, component=COMPONENT)
