"""Whose the claims of a StatefulSet are, as its retention policy says: nobody's, the set's, or the pod's that goes."""

from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.podviews import Pod
from plumbline.apiserver.controllers.workloads.statefulsets.identity import ordinal_of, ordinals
from plumbline.apiserver.controllers.workloads.templates import controller_reference
from plumbline.apiserver.objects.metadata import with_metadata
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object, OwnerReference

_DELETE: Final = "Delete"
_STATEFUL_SET: Final = ("apps/v1", "StatefulSet")
_POD: Final = ("v1", "Pod")


class Policy(NamedTuple):
    deletes_with_set: bool
    deletes_with_pod: bool


class Keepers(NamedTuple):
    """The two that can own a claim."""

    owner: Object
    pod: Pod

    @property
    def policy(self) -> Policy:
        return policy_of(self.owner)

    @property
    def condemned(self) -> bool:
        return ordinal_of(self.pod) not in ordinals(self.owner)

    @property
    def set_keeps(self) -> bool:
        policy = self.policy
        return policy.deletes_with_set and not (policy.deletes_with_pod and self.condemned)

    @property
    def pod_keeps(self) -> bool:
        return self.policy.deletes_with_pod and self.condemned

    def is_set(self, reference: OwnerReference) -> bool:
        return (reference.api_version, reference.kind) == _STATEFUL_SET and reference.name == self.owner.name

    def is_pod(self, reference: OwnerReference) -> bool:
        return (reference.api_version, reference.kind) == _POD and reference.name == self.pod.name


def policy_of(owner: Object) -> Policy:
    given = owner.spec.get("persistentVolumeClaimRetentionPolicy") or {}
    return Policy(given.get("whenDeleted") == _DELETE, given.get("whenScaled") == _DELETE)


def is_stale(claim: Object, keepers: Keepers) -> bool:
    """Whether it belongs to a set or pod of that name which is gone: it will go too."""
    references = claim.owner_references
    of_set = next((each for each in references if keepers.is_set(each)), None)
    of_pod = next((each for each in references if keepers.is_pod(each)), None)
    stale_set = of_set is not None and of_set.uid != keepers.owner.uid
    return stale_set or (of_pod is not None and of_pod.uid != keepers.pod.uid)


def is_of_earlier_pod(claim: Object, keepers: Keepers) -> bool:
    of_pod = next((each for each in claim.owner_references if keepers.is_pod(each)), None)
    return of_pod is not None and of_pod.uid != keepers.pod.uid


def is_contested(claim: Object, keepers: Keepers) -> bool:
    """Whether another controller has it, so that the policy cannot apply."""
    if not any(keepers.policy):
        return False
    for reference in claim.owner_references:
        if keepers.is_set(reference) and reference.uid == keepers.owner.uid:
            continue
        if keepers.is_pod(reference) and reference.uid == keepers.pod.uid:
            continue
        if reference.controller or keepers.is_set(reference) or keepers.is_pod(reference):
            return True
    return False


def is_settled(claim: Object, keepers: Keepers) -> bool:
    """Whether its owners are those that the policy asks for."""
    own = {keepers.owner.uid, keepers.pod.uid}
    held = [each for each in claim.owner_references if each.uid in own]
    if is_stale(claim, keepers):
        return True
    if is_contested(claim, keepers):
        return not held
    if any(not each.controller for each in held):
        return False
    uids = {each.uid for each in held}
    return (keepers.owner.uid in uids) == keepers.set_keeps and (keepers.pod.uid in uids) == keepers.pod_keeps


def settled(claim: JsonObject, keepers: Keepers) -> JsonObject:
    """*claim* with those owners."""
    described = Object(claim)
    others = [
        raw
        for raw, each in zip(claim["metadata"].get("ownerReferences") or (), described.owner_references, strict=True)
        if not keepers.is_set(each) and not keepers.is_pod(each)
    ]
    if not is_contested(described, keepers):
        if keepers.pod_keeps:
            others.append(controller_reference(Object(keepers.pod.reference)))
        elif keepers.set_keeps:
            others.append(controller_reference(keepers.owner))
    return with_metadata(claim, ownerReferences=others or None)
