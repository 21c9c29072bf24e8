"""What a StatefulSet does next: which pods it creates, replaces and deletes, one after the other or all at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.conditions import told
from plumbline.apiserver.controllers.workloads.kinds import REVISION_LABEL
from plumbline.apiserver.controllers.workloads.podviews import PENDING, RUNNING, Pod, pod_from
from plumbline.apiserver.controllers.workloads.revisions import with_template_of
from plumbline.apiserver.controllers.workloads.statefulsets.identity import (
    claim_name,
    claim_templates,
    first_ordinal,
    identity_matches,
    new_pod,
    ordinal_of,
    ordinals,
    replicas_of,
    storage_matches,
)
from plumbline.apiserver.controllers.workloads.statefulsets.retention import (
    Keepers,
    is_of_earlier_pod,
    is_settled,
    policy_of,
)
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

_ALWAYS: Final = frozenset({"replicas", "availableReplicas", "collisionCount"})


class Verb(Enum):
    CREATE = "create"
    DELETE = "delete"
    PROVIDE = "provide"
    """Its claims are missing."""
    ADJUST = "adjust"
    """It is not quite who it should be, or its claims are not whose they should be."""
    RETAIN = "retain"
    """Only its claims are not whose they should be."""


class Action(NamedTuple):
    verb: Verb
    pod: Pod
    planned: JsonObject
    """What to create; empty for a pod that is there."""


class Revisions(NamedTuple):
    current: Object
    update: Object
    collisions: int


class Situation(NamedTuple):
    owner: Object
    revisions: Revisions
    pods: Sequence[Pod]
    claims: Mapping[str, Object]
    """Those that there are of the set, by name."""
    now: datetime

    @property
    def ordered(self) -> bool:
        return bool(self.owner.spec.get("podManagementPolicy") != "Parallel")

    @property
    def min_ready_s(self) -> int:
        return int(self.owner.spec.get("minReadySeconds") or 0)

    def available(self, pod: Pod) -> bool:
        return pod.available(self.min_ready_s, self.now)

    def settled(self, pod: Pod) -> bool:
        keepers = Keepers(self.owner, pod)
        return all(is_settled(claim, keepers) for claim in self.claims_of(pod))

    def claims_of(self, pod: Pod) -> Iterator[Object]:
        for template in claim_templates(self.owner):
            claim = self.claims.get(claim_name(self.owner, template, ordinal_of(pod)))
            if claim is not None:
                yield claim


class Plan(NamedTuple):
    """To be done in this order; a refusal ends it."""

    replicas: list[Action]
    condemned: list[Action]
    updates: list[Action]
    status: JsonObject


class _Step(NamedTuple):
    actions: list[Action]
    stops: bool
    """Whether those that come later have to wait."""


def plan(at: Situation) -> Plan:
    if at.owner.deletion_timestamp:
        return Plan([], [], [], plan_status(at, 0))
    slots = _slots(at)
    condemned = sorted((pod for pod in at.pods if ordinal_of(pod) not in ordinals(at.owner)), key=ordinal_of)
    replicas, stopped = _walked((_replica(at, slot) for slot in slots), ordered=at.ordered)
    if stopped:
        return Plan(replicas, [], [], plan_status(at, 0))
    first_ill = next((slot.pod for slot in slots if _ill(at, slot)), None)
    first_ill = first_ill or next((pod for pod in condemned if not at.available(pod) or pod.deleted), None)
    retained = [Action(Verb.RETAIN, pod, {}) for pod in condemned if not at.settled(pod)]
    leaving, stopped = _walked((_condemned(at, pod, first_ill) for pod in condemned[::-1]), ordered=at.ordered)
    updates = [] if stopped else _updates(at, slots)
    return Plan(replicas, [*retained, *leaving], updates, plan_status(at, len(updates)))


def plan_status(at: Situation, replaced: int) -> JsonObject:
    """*replaced* pods of the current revision are about to go."""
    owner, (current, update, collisions) = at.owner, at.revisions
    ready = [pod for pod in at.pods if pod.phase == RUNNING and pod.ready]
    staying = [pod.labels.get(REVISION_LABEL) for pod in at.pods if not pod.deleted]
    status = {
        "observedGeneration": owner.generation,
        "replicas": len(at.pods),
        "readyReplicas": len(ready),
        "availableReplicas": sum(map(at.available, ready)),
        "currentReplicas": staying.count(current.name) - replaced,
        "updatedReplicas": staying.count(update.name),
        "currentRevision": current.name,
        "updateRevision": update.name,
        "collisionCount": collisions,
        "conditions": owner.status.get("conditions"),
    }
    wanted = replicas_of(owner)
    if _rolls(owner) and all(status[each] == wanted for each in ("replicas", "readyReplicas", "updatedReplicas")):
        status |= {"currentReplicas": status["updatedReplicas"], "currentRevision": update.name}
    return told(status, always=_ALWAYS)


def claim_names(owner: Object, pods: Iterable[Pod]) -> set[str]:
    """Of all claims that the set's pods have or should have."""
    wanted = {*ordinals(owner), *map(ordinal_of, pods)} if claim_templates(owner) else ()
    return {claim_name(owner, template, ordinal) for template in claim_templates(owner) for ordinal in wanted}


def _slots(at: Situation) -> list[Action]:
    """For each ordinal the pod that is there, or the one to be created."""
    there = {ordinal_of(pod): pod for pod in at.pods}
    slots = []
    for ordinal in ordinals(at.owner):
        pod = there.get(ordinal)
        planned = {} if pod else _versioned(at, ordinal)
        slots.append(Action(Verb.CREATE, pod or pod_from(planned), planned))
    return slots


def _versioned(at: Situation, ordinal: int) -> JsonObject:
    revision = at.revisions.current if _is_kept_back(at.owner, ordinal) else at.revisions.update
    return new_pod(with_template_of(at.owner, revision), ordinal, revision.name)


def _is_kept_back(owner: Object, ordinal: int) -> bool:
    """Whether a new pod of *ordinal* still gets the current template."""
    rolling = (owner.spec.get("updateStrategy") or {}).get("rollingUpdate")
    if rolling is not None:
        return ordinal < first_ordinal(owner) + int(rolling.get("partition") or 0)
    return _rolls(owner) and ordinal < first_ordinal(owner) + int(owner.status.get("currentReplicas") or 0)


def _rolls(owner: Object) -> bool:
    return bool((owner.spec.get("updateStrategy") or {}).get("type") != "OnDelete")


def _walked(steps: Iterable[_Step], *, ordered: bool) -> tuple[list[Action], bool]:
    """In order, nobody overtakes one that stops; otherwise all go at once."""
    actions: list[Action] = []
    for step in steps:
        actions += step.actions
        if step.stops and ordered:
            return actions, True
    return actions, False


def _replica(at: Situation, slot: Action) -> _Step:
    pod = slot.pod
    if slot.planned:
        return _Step([] if _has_stale_claim(at, pod) else [slot], stops=True)
    if pod.terminal:
        return _Step([] if pod.deleted else [slot._replace(verb=Verb.DELETE)], stops=True)
    actions = []
    if pod.phase == PENDING and not _provided(at, pod):
        actions.append(slot._replace(verb=Verb.PROVIDE))
    if at.ordered and (pod.deleted or pod.phase != RUNNING or not at.available(pod)):
        return _Step(actions, stops=True)
    if not (identity_matches(at.owner, pod) and storage_matches(at.owner, pod) and at.settled(pod)):
        actions.append(slot._replace(verb=Verb.ADJUST))
    return _Step(actions, stops=False)


def _has_stale_claim(at: Situation, pod: Pod) -> bool:
    """A claim of an earlier pod of this name goes with that pod; the new one waits for it to be gone."""
    keepers = Keepers(at.owner, pod)
    doomed = policy_of(at.owner).deletes_with_pod
    return doomed and any(is_of_earlier_pod(claim, keepers) for claim in at.claims_of(pod))


def _provided(at: Situation, pod: Pod) -> bool:
    there = list(at.claims_of(pod))
    going = any(claim.deletion_timestamp for claim in there)
    return len(there) == len(claim_templates(at.owner)) and not going and at.settled(pod)


def _condemned(at: Situation, pod: Pod, first_ill: Pod | None) -> _Step:
    if pod.deleted:
        return _Step([], stops=True)
    well = pod.phase == RUNNING and at.available(pod)
    if at.ordered and not well and pod is not first_ill:
        return _Step([], stops=True)
    return _Step([Action(Verb.DELETE, pod, {})], stops=True)


def _ill(at: Situation, slot: Action) -> bool:
    return bool(slot.planned) or slot.pod.deleted or not at.available(slot.pod)


def _updates(at: Situation, slots: Sequence[Action]) -> list[Action]:
    """From the last ordinal down, one at a time, as far as the partition."""
    if not _rolls(at.owner):
        return []
    rolling = (at.owner.spec.get("updateStrategy") or {}).get("rollingUpdate") or {}
    for slot in reversed(slots[int(rolling.get("partition") or 0) :]):
        outdated = slot.pod.labels.get(REVISION_LABEL) != at.revisions.update.name
        if outdated and not slot.pod.deleted and not slot.planned:
            return [slot._replace(verb=Verb.DELETE)]
        if _ill(at, slot):
            return []
    return []
