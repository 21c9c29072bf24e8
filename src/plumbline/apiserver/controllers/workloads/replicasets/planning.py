"""How many pods a set has too few or too many, and what its status says."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.batches import BURST
from plumbline.apiserver.controllers.workloads.conditions import condition_of, told, with_condition, without
from plumbline.apiserver.controllers.workloads.podviews import Pod
from plumbline.apiserver.controllers.workloads.ranking import first_to_go
from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object
from plumbline.kube.selectors.labels import LabelSelector

FAILURE: Final = "ReplicaFailure"
_ALWAYS: Final = frozenset({"replicas", "terminatingReplicas"})


class Census(NamedTuple):
    """The pods that a set claims."""

    active: list[Pod]
    terminating: list[Pod]


class Replicas(NamedTuple):
    create: int = 0
    delete: Sequence[Pod] = ()


def plan_replicas(wanted: int, active: Sequence[Pod], related: Iterable[Pod], now: datetime) -> Replicas:
    """At most a burst at a time: the rest follows when these are there."""
    surplus = len(active) - wanted
    if surplus > 0:
        return Replicas(delete=first_to_go(active, related, min(surplus, BURST), now))
    return Replicas(create=min(-surplus, BURST))


def replicas_of(owner: Object) -> int:
    replicas = owner.spec.get("replicas")
    return 1 if replicas is None else int(replicas)


def min_ready_s_of(owner: Object) -> int:
    return int(owner.spec.get("minReadySeconds") or 0)


def plan_status(owner: Object, census: Census, failure: str, now: datetime, *, with_terminating: bool) -> JsonObject:
    """*failure* is why pods could not be created or deleted, or nothing."""
    active = census.active
    template = (owner.spec.get("template") or {}).get("metadata") or {}
    labelled = LabelSelector.from_labels(template.get("labels") or {})
    min_ready_s = min_ready_s_of(owner)
    counts = {
        "replicas": len(active),
        "fullyLabeledReplicas": sum(labelled.matches(pod.labels) for pod in active),
        "readyReplicas": sum(pod.ready for pod in active),
        "availableReplicas": sum(pod.available(min_ready_s, now) for pod in active),
        "terminatingReplicas": len(census.terminating) if with_terminating else None,
        "observedGeneration": owner.generation,
        "conditions": _conditions(owner, len(active), failure, now),
    }
    return told({**owner.status, **counts}, always=_ALWAYS)


def _conditions(owner: Object, active: int, failure: str, now: datetime) -> list[JsonObject]:
    """The first failure is told until there is none any more."""
    conditions = list(owner.status.get("conditions") or ())
    told_already = condition_of(conditions, FAILURE)
    if not failure:
        return without(conditions, FAILURE) if told_already else conditions
    if told_already:
        return conditions
    reason = {-1: "FailedCreate", 1: "FailedDelete"}.get(_sign(active - replicas_of(owner)), "")
    new = {
        "type": FAILURE,
        "status": "True",
        "lastTransitionTime": rfc3339(now),
        "reason": reason,
        "message": failure,
    }
    return with_condition(conditions, told(new))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
