"""Disruption budgets, as evictions spend them."""

from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.requests.subresources.podstatus import is_ready
from plumbline.base.errors import BadSelector, RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind
from plumbline.kube.selectors.labels import LabelSelector

KIND: Final = GroupKind("policy", "PodDisruptionBudget")
MANAGER: Final = "kube-apiserver"
_MOST_DISRUPTED: Final = 2000
_CONFLICT: Final = 409
_ATTEMPTS: Final = 20
_RETRY_S: Final = 10
_VIOLATED: Final = "Cannot evict pod as it would violate the pod's disruption budget."
_ALLOWED: Final = "DisruptionAllowed"


class Budgets:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def of(self, pod: JsonObject) -> JsonObject | None:
        """The one that covers *pod*; raises RequestRefused where there are several."""
        metadata = metadata_of(pod)
        labels = metadata.get("labels") or {}
        found = self._cluster.objects(KIND, str(metadata.get("namespace") or ""))
        covering = [budget for budget in found if _selector(budget).matches(labels)]
        if len(covering) > 1:
            why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
            raise statuses.plain_failure(500, why)
        return covering[0] if covering else None

    def spares(self, budget: JsonObject, pod: JsonObject) -> bool:
        """Whether *pod* may go without a cost: it is not healthy, and the budget does not count on it."""
        if is_ready(pod):
            return False
        if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
            return True
        status = budget.get("status") or {}
        desired = status.get("desiredHealthy") or 0
        return desired > 0 and (status.get("currentHealthy") or 0) >= desired

    async def spend(self, budget: JsonObject, pod_name: str, *, dry_run: bool) -> None:
        """One disruption; raises RequestRefused where none is left."""
        name = _name(budget)
        for _ in range(_ATTEMPTS):
            status = self._spent(budget, pod_name)
            if dry_run:
                return
            try:
                await self._cluster.set_status(budget, status, manager=MANAGER)
            except RequestRefused as refused:
                if refused.status["code"] != _CONFLICT:
                    raise
            else:
                return
            there = self._cluster.get(KIND, str(metadata_of(budget).get("namespace")), name)
            if there is None:
                raise statuses.not_found("policy", "poddisruptionbudgets", name)
            budget = there
        why = f"Timeout: couldn't update PodDisruptionBudget {quoted(name)} due to conflicts"
        raise statuses.failure(504, "Timeout", why, retryAfterSeconds=_RETRY_S)

    def _spent(self, budget: JsonObject, pod_name: str) -> JsonObject:
        status = budget.get("status") or {}
        if (status.get("observedGeneration") or 0) < (metadata_of(budget).get("generation") or 0):
            raise still_processed(budget)
        left, disrupted = int(status.get("disruptionsAllowed") or 0), status.get("disruptedPods") or {}
        if left < 0:
            raise _forbidden(budget, "pdb disruptions allowed is negative")
        if len(disrupted) > _MOST_DISRUPTED:
            why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
            raise _forbidden(budget, why)
        if left == 0:
            raise _violated(budget)
        now = self._cluster.now()
        spent = {**status, "disruptionsAllowed": left - 1, "disruptedPods": {**disrupted, pod_name: now}}
        return spent if left > 1 else _exhausted(spent, now)


def still_processed(budget: JsonObject) -> RequestRefused:
    message = f"The disruption budget {_name(budget)} is still being processed by the server."
    return _too_many(message, _RETRY_S)


def _violated(budget: JsonObject) -> RequestRefused:
    status, name = budget.get("status") or {}, _name(budget)
    conditions = [each for each in status.get("conditions") or () if each.get("type") == _ALLOWED]
    told = conditions[0] if conditions and conditions[0].get("status") == "False" else {}
    message, reason = told.get("message"), told.get("reason")
    desired, current = status.get("desiredHealthy") or 0, status.get("currentHealthy") or 0
    refusal = f"The disruption budget {name} does not allow evicting pods currently"
    if message and reason == "SyncFailed":
        refusal = f"{refusal} because it failed sync: {message}"
    elif current <= desired:
        refusal = f"The disruption budget {name} needs {desired} healthy pods and has {current} currently"
    elif message:
        refusal = f"{refusal} ({reason}): {message}"
    return _too_many(refusal, 0)


def _too_many(message: str, retry_s: int) -> RequestRefused:
    causes = [{"reason": "DisruptionBudget", "message": message}]
    return statuses.failure(429, "TooManyRequests", _VIOLATED, causes=causes, retryAfterSeconds=retry_s)


def _forbidden(budget: JsonObject, why: str) -> RequestRefused:
    return statuses.forbidden("policy", "poddisruptionbudget", _name(budget), why)


def _exhausted(status: JsonObject, now: str) -> JsonObject:
    """*status* with a condition that says so."""
    conditions = list(status.get("conditions") or ())
    at = next((at for at, each in enumerate(conditions) if each.get("type") == _ALLOWED), None)
    before = conditions[at] if at is not None else {}
    since = before.get("lastTransitionTime") if before.get("status") == "False" else now
    condition: JsonObject = {"type": _ALLOWED, "status": "False"}
    if observed := status.get("observedGeneration"):
        condition["observedGeneration"] = observed
    condition |= {"lastTransitionTime": since or now, "reason": "InsufficientPods", "message": ""}
    if at is None:
        conditions.append(condition)
    else:
        conditions[at] = condition
    return {**status, "conditions": conditions}


def _selector(budget: JsonObject) -> LabelSelector:
    try:
        return LabelSelector.from_object((budget.get("spec") or {}).get("selector"))
    except BadSelector:
        return LabelSelector((), selectable=False)


def _name(budget: JsonObject) -> str:
    return str(metadata_of(budget).get("name"))
