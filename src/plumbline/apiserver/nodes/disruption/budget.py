"""The status of a disruption budget: how many of its pods may go."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from plumbline.apiserver.nodes.moments import instant
from plumbline.apiserver.nodes.services.backends import standing
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.intorstring import scaled

DELETION_TIMEOUT_S: Final = 120.0
"""How long after an eviction a pod that is still there counts as going."""

Scale = Callable[[JsonObject, str], int | None]
"""The size of the workload behind an owner reference of a pod in that namespace; None where it is not known."""


class Expected(msgspec.Struct, frozen=True):
    pods: int = 0
    healthy: int = 0
    fault: str = ""


def expected_pods(budget: JsonObject, pods: Sequence[JsonObject], scale: Scale) -> Expected:
    spec: JsonObject = budget.get("spec") or {}
    most, least = spec.get("maxUnavailable"), spec.get("minAvailable")
    if most is None and isinstance(least, int):
        return Expected(len(pods), least)
    if most is None and least is None:
        return Expected(0, 0)
    count = _workload_size(pods, scale)
    if isinstance(count, str):
        return Expected(fault=count)
    try:
        if most is not None:
            return Expected(count, max(count - scaled(most, count, round_up=True), 0))
        return Expected(count, scaled(str(least), count, round_up=True))
    except InvalidInput as bad:
        return Expected(fault=str(bad))


def disrupted(budget: JsonObject, pods: Sequence[JsonObject], now_s: float) -> Mapping[str, str]:
    """Pods that were evicted a moment ago and are still there; the others are taken off the list."""
    listed = (budget.get("status") or {}).get("disruptedPods") or {}
    going = {}
    for pod in pods:
        metadata = metadata_of(pod)
        since_s = instant(listed.get(metadata.get("name")))
        if since_s is not None and not metadata.get("deletionTimestamp") and since_s + DELETION_TIMEOUT_S > now_s:
            going[str(metadata["name"])] = str(listed[metadata["name"]])
    return going


def budget_status(
    budget: JsonObject, pods: Sequence[JsonObject], expected: Expected, going: Mapping[str, str], now: str
) -> JsonObject:
    healthy = sum(_healthy(each) for each in pods if str(metadata_of(each).get("name")) not in going)
    allowed = max(healthy - expected.healthy, 0) if expected.pods > 0 else 0
    generation = int(metadata_of(budget).get("generation") or 0)
    reason = "SufficientPods" if allowed else "InsufficientPods"
    status: JsonObject = {
        "currentHealthy": healthy,
        "desiredHealthy": expected.healthy,
        "expectedPods": expected.pods,
        "disruptionsAllowed": allowed,
        "observedGeneration": generation,
        "conditions": _conditions(budget, generation, reason, "", now, status=bool(allowed)),
    }
    return {**status, "disruptedPods": dict(going)} if going else status


def failed_status(budget: JsonObject, fault: str, now: str) -> JsonObject:
    old: JsonObject = budget.get("status") or {}
    generation = int(old.get("observedGeneration") or 0)
    conditions = _conditions(budget, generation, "SyncFailed", fault, now, status=False)
    zeros = {"currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}
    return {**zeros, **old, "disruptionsAllowed": 0, "conditions": conditions}


def _workload_size(pods: Sequence[JsonObject], scale: Scale) -> int | str:
    sizes: dict[str, int] = {}
    for pod in pods:
        metadata = metadata_of(pod)
        owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
        if owner is None or str(owner.get("uid")) in sizes:
            continue
        size = scale(owner, str(metadata.get("namespace")))
        if size is None:
            return f"found no controllers for pod {quoted(str(metadata.get('name')))}"
        sizes[str(owner.get("uid"))] = size
    return sum(sizes.values())


def _healthy(pod: JsonObject) -> bool:
    seen = standing(pod)
    return seen.ready and not seen.terminating


def _conditions(
    budget: JsonObject, generation: int, reason: str, message: str, now: str, *, status: bool
) -> list[JsonObject]:
    old = (budget.get("status") or {}).get("conditions") or ()
    before: JsonObject = next((each for each in old if each.get("type") == "DisruptionAllowed"), {})
    written = "True" if status else "False"
    since = before.get("lastTransitionTime") if before.get("status") == written else now
    condition: JsonObject = {
        "type": "DisruptionAllowed",
        "status": written,
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    }
    if generation:
        condition["observedGeneration"] = generation
    return [*(each for each in old if each.get("type") != "DisruptionAllowed"), condition]
