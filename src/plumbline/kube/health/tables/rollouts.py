"""Progressive delivery: Argo Rollouts, Flagger, Spot and Kruise rollouts."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.kube.health.reading import at, conditions, items, mapping, number, printed, text
from plumbline.kube.health.rules import (
    Rule,
    Stale,
    by_condition,
    by_field,
    degraded,
    having,
    healthy,
    on,
    progressing,
    suspended,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE

_WORKLOAD_GENERATION: Final = "rollout.argoproj.io/workload-generation"
_PHASES: Final = {"Paused": Status.SUSPENDED, **{str(status): status for status in Status}}
_ABORTED = by_condition(
    on("InvalidSpec", "", degraded(MESSAGE)),
    on("Progressing", "", degraded(MESSAGE), reason="RolloutAborted|ProgressDeadlineExceeded"),
)


def rollout(obj: JsonObject) -> Health:
    """An Argo Rollout. Since 1.0 its phase says it all; before that, replicas and hashes did."""
    if not _observed(obj):
        return Health(Status.PROGRESSING, "Waiting for rollout spec update to be observed")
    phase = text(obj, "status", "phase")
    if phase:
        return Health(_PHASES.get(phase, Status.UNKNOWN), text(obj, "status", "message"))
    aborted = _ABORTED(obj)
    if aborted:
        return aborted
    if items(obj, "status", "pauseConditions") or at(obj, "spec", "paused") is True:
        return Health(Status.SUSPENDED, "Rollout is paused")
    awaited = _awaited(obj)
    return Health(Status.PROGRESSING, awaited) if awaited else Health(Status.HEALTHY)


def _observed(obj: JsonObject) -> bool:
    """Whether the controller has seen the present spec. Before 0.10 it reported a hash, which tells nothing."""
    if at(obj, "status") is None:
        return False
    generation, observed = number(obj, "metadata", "generation"), _numeral(at(obj, "status", "observedGeneration"))
    if observed is not None and observed < generation:
        return False
    annotations = at(obj, "metadata", "annotations")
    if at(obj, "spec", "workloadRef") is None or annotations is None:
        return True
    workload = _numeral(at(obj, "status", "workloadObservedGeneration"))
    return _numeral(at(annotations, _WORKLOAD_GENERATION)) == workload


def _numeral(value: Json) -> int | None:
    digits = printed(value)
    return int(digits) if digits.isdecimal() and len(digits) < 20 else None  # noqa: PLR2004 - a 64-bit number


def _awaited(obj: JsonObject) -> str:
    spec, status = mapping(obj, "spec"), mapping(obj, "status")
    pod_hash = text(status, "currentPodHash")
    if not pod_hash:
        return "Waiting for rollout to finish: status has not been reconciled."
    updated = number(status, "updatedReplicas")
    if updated < number(spec, "replicas", default=1):
        return "Waiting for roll out to finish: More replicas need to be updated"
    if number(status, "availableReplicas") < updated:
        return "Waiting for roll out to finish: updated replicas are still becoming available"
    stable = text(status, "stableRS") or text(status, "canary", "stableRS")
    if at(spec, "strategy", "blueGreen") is not None:
        return _cutover(status, pod_hash, stable)
    if at(spec, "strategy", "canary") is not None:
        if number(status, "replicas") > updated:
            return "Waiting for roll out to finish: old replicas are pending termination"
        if stable != pod_hash:
            return "Waiting for rollout to finish steps"
    return ""


def _cutover(status: JsonObject, pod_hash: str, stable: str) -> str:
    if at(status, "blueGreen", "activeSelector") != pod_hash:
        return "active service cutover pending"
    # Before 0.8 a blue-green rollout did not report what is stable.
    return "waiting for analysis to complete" if stable and stable != pod_hash else ""


_CANARY_PHASES: Final = {
    "Failed": Status.DEGRADED,
    "Progressing": Status.PROGRESSING,
    "Finalising": Status.PROGRESSING,
    "Promoting": Status.PROGRESSING,
    "Succeeded": Status.HEALTHY,
    "Initialized": Status.HEALTHY,
}


def _canary(obj: JsonObject) -> Health:
    status = at(obj, "status")
    if status is None:
        return Health(Status.UNKNOWN, "No status")
    phase, weight = text(status, "phase"), at(status, "canaryWeight")
    shifted = [f"Canary Weight: {printed(weight)} %"] if (_numeral(weight) or 0) > 0 else []
    said = [*shifted, *(text(condition, "message") for condition in conditions(obj))]
    return Health(_CANARY_PHASES.get(phase, Status.UNKNOWN), " --- ".join([phase, *said]))


def _kruise(obj: JsonObject) -> Health | None:
    step, phase = text(obj, "status", "canaryStatus", "currentStepState"), text(obj, "status", "phase")
    match step, phase:
        case "StepPaused", "Progressing":
            return Health(Status.SUSPENDED, "Rollout is Paused need manual intervention")
        case "Completed", "Healthy":
            return Health(Status.HEALTHY, "Rollout is Completed")
        case "StepPaused", "Terminating" | "Disabled":
            return Health(Status.DEGRADED, "Rollout is Disabled or Terminating")
    return None


RULES: Mapping[str, Rule] = {
    "flagger.app/Canary": (_canary,),
    "rollouts.kruise.io/Rollout": (
        Stale("Rollout is still progressing", required=True),
        _kruise,
        progressing("Rollout is still progressing"),
    ),
    "spot.io/SpotDeployment": (
        _ABORTED,
        by_condition(on("Paused", "True", suspended("Rollout is paused"))),
        by_field("status.phase", {"Progressing": progressing("Waiting for rollout to finish steps")}),
        having("status.conditions", healthy()),
    ),
}
