"""What a Deployment's status says, and when its rollout counts as stuck."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from plumbline.apiserver.controllers.workloads.conditions import condition_of, told, with_condition, without
from plumbline.apiserver.controllers.workloads.deployments.reading import (
    Rollout,
    count,
    deadline_s,
    max_unavailable,
    total,
    wanted_of,
    wanted_total,
)
from plumbline.apiserver.controllers.workloads.moments import moment
from plumbline.apiserver.controllers.workloads.replicasets.planning import FAILURE
from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.object import Object

PROGRESSING: Final = "Progressing"
AVAILABLE: Final = "Available"
CREATED: Final = "NewReplicaSetCreated"
FOUND: Final = "FoundNewReplicaSet"
NOT_CREATED: Final = "ReplicaSetCreateError"
PAUSED: Final = "DeploymentPaused"
RESUMED: Final = "DeploymentResumed"
COMPLETE: Final = "NewReplicaSetAvailable"
UPDATED: Final = "ReplicaSetUpdated"
TIMED_OUT: Final = "ProgressDeadlineExceeded"
_ALWAYS: Final = frozenset({"terminatingReplicas", "collisionCount"})


def condition(type_: str, status: str, reason: str, message: str, now: datetime) -> JsonObject:
    when = rfc3339(now)
    return {
        "type": type_,
        "status": status,
        "lastUpdateTime": when,
        "lastTransitionTime": when,
        "reason": reason,
        "message": message,
    }


def with_progress(deployment: Object, status: str, reason: str, message: str, now: datetime) -> Object:
    """*deployment* that tells about its progress, if somebody waits for it."""
    if deadline_s(deployment) is None:
        return deployment
    conditions = with_condition(_conditions(deployment), condition(PROGRESSING, status, reason, message, now))
    return deployment.with_status({**deployment.status, "conditions": conditions})


def with_pause(deployment: Object, now: datetime) -> Object:
    """*deployment* that tells whether it is paused, so that the pause does not count as standing still."""
    current = condition_of(_conditions(deployment), PROGRESSING)
    reason = current.get("reason") if current else ""
    paused = bool(deployment.spec.get("paused"))
    if reason == TIMED_OUT or paused == (reason == PAUSED):
        return deployment
    told_as, message = (PAUSED, "Deployment is paused") if paused else (RESUMED, "Deployment is resumed")
    return with_progress(deployment, "Unknown", told_as, message, now)


def plan_status(rollout: Rollout, now: datetime) -> JsonObject:
    """The counts, and whether enough pods are available."""
    deployment, sets = rollout.deployment, rollout.sets
    available = total(sets, "availableReplicas")
    status = {
        "observedGeneration": deployment.generation,
        "replicas": total(sets, "replicas"),
        "updatedReplicas": total((rollout.new,) if rollout.new else (), "replicas"),
        "readyReplicas": total(sets, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(wanted_total(sets) - available, 0),
        "terminatingReplicas": _terminating(sets),
        "collisionCount": deployment.status.get("collisionCount"),
    }
    enough = available >= wanted_of(deployment) - max_unavailable(deployment)
    conditions = with_condition(_conditions(deployment), _availability(now, enough=enough))
    return told({**status, "conditions": conditions}, always=_ALWAYS)


def plan_rollout_status(rollout: Rollout, now: datetime) -> JsonObject:
    """The same, and how the rollout goes."""
    status = plan_status(rollout, now)
    conditions = list(status["conditions"])
    if deadline_s(rollout.deployment) is None:
        conditions = without(conditions, PROGRESSING)
    elif not _told_complete(rollout.deployment, status):
        conditions = _progressed(rollout, status, now)
    failure = _failure(rollout)
    conditions = with_condition(conditions, failure) if failure else without(conditions, FAILURE)
    return told({**status, "conditions": conditions}, always=_ALWAYS)


def next_look_s(deployment: Object, now: datetime) -> float | None:
    """When a rollout that stands still will have stood for too long; None where nobody waits for it."""
    limit_s, current = deadline_s(deployment), condition_of(_conditions(deployment), PROGRESSING)
    if limit_s is None or current is None:
        return None
    if is_complete(deployment, deployment.status) or current.get("reason") == TIMED_OUT:
        return None
    since = moment(str(current.get("lastUpdateTime") or "")) or now
    return max((since + timedelta(seconds=limit_s) - now).total_seconds(), 0.0) + 1.0


def is_complete(deployment: Object, status: JsonObject) -> bool:
    wanted = wanted_of(deployment)
    counts = ("updatedReplicas", "replicas", "availableReplicas")
    observed = int(status.get("observedGeneration") or 0) >= deployment.generation
    return observed and all(int(status.get(each) or 0) == wanted for each in counts)


def _conditions(deployment: Object) -> list[JsonObject]:
    return list(deployment.status.get("conditions") or ())


def _availability(now: datetime, *, enough: bool) -> JsonObject:
    if enough:
        return condition(AVAILABLE, "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
    message = "Deployment does not have minimum availability."
    return condition(AVAILABLE, "False", "MinimumReplicasUnavailable", message, now)


def _told_complete(deployment: Object, status: JsonObject) -> bool:
    current = condition_of(_conditions(deployment), PROGRESSING)
    even = status.get("replicas") == status.get("updatedReplicas")
    return bool(even and current and current.get("reason") == COMPLETE)


def _progressed(rollout: Rollout, status: JsonObject, now: datetime) -> list[JsonObject]:
    deployment, conditions = rollout.deployment, list(status["conditions"])
    who = f"ReplicaSet {quoted(rollout.new.name)}" if rollout.new else f"Deployment {quoted(deployment.name)}"
    if is_complete(deployment, status):
        done = condition(PROGRESSING, "True", COMPLETE, f"{who} has successfully progressed.", now)
        return with_condition(conditions, done)
    current = condition_of(_conditions(deployment), PROGRESSING)
    if _moved(deployment, status):
        moving = condition(PROGRESSING, "True", UPDATED, f"{who} is progressing.", now)
        if current and current.get("status") == "True":
            moving["lastTransitionTime"] = current.get("lastTransitionTime")
        return [*without(conditions, PROGRESSING), moving]
    if _is_stuck(deployment, condition_of(conditions, PROGRESSING), now):
        stuck = condition(PROGRESSING, "False", TIMED_OUT, f"{who} has timed out progressing.", now)
        return with_condition(conditions, stuck)
    return conditions


def _moved(deployment: Object, status: JsonObject) -> bool:
    """More of the new, less of the old, or more that works than last time."""

    def now(field: str) -> int:
        return int(status.get(field) or 0)

    def before(field: str) -> int:
        return count(deployment, field)

    grown = ("updatedReplicas", "readyReplicas", "availableReplicas")
    fewer_old = now("replicas") - now("updatedReplicas") < before("replicas") - before("updatedReplicas")
    return fewer_old or any(now(field) > before(field) for field in grown)


def _is_stuck(deployment: Object, current: JsonObject | None, now: datetime) -> bool:
    limit_s = deadline_s(deployment)
    if limit_s is None or current is None or current.get("reason") == COMPLETE:
        return False
    if current.get("reason") == TIMED_OUT:
        return True
    since = moment(str(current.get("lastUpdateTime") or ""))
    return since is not None and since + timedelta(seconds=limit_s) < now


def _terminating(sets: Sequence[Object]) -> int | None:
    """None where a set has been looked at by somebody who does not count them."""
    counts = [each.status.get("terminatingReplicas") for each in sets if count(each, "observedGeneration")]
    return None if None in counts else sum(map(int, filter(None, counts)))


def _failure(rollout: Rollout) -> JsonObject | None:
    """Why pods could not be created, in the words of the set that tried; the new one's count first."""
    for owned in (rollout.new, *rollout.old):
        found = condition_of(owned.status.get("conditions") or (), FAILURE) if owned else None
        if found:
            return {**found, "lastUpdateTime": found.get("lastTransitionTime")}
    return None
