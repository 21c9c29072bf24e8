"""Conditions of pods, as the API server itself sets them."""

from plumbline.base.json import JsonObject


def with_condition(status: JsonObject, condition: JsonObject, now: str) -> JsonObject:
    """*status* with *condition*, whose transition is now unless it had the same status before."""
    conditions = [each for each in status.get("conditions") or () if isinstance(each, dict)]
    at = next((at for at, each in enumerate(conditions) if each.get("type") == condition["type"]), None)
    since = now
    if at is not None and conditions[at].get("status") == condition["status"]:
        since = conditions[at].get("lastTransitionTime") or now
    held = {
        "type": condition["type"],
        "status": condition["status"],
        "lastProbeTime": None,
        "lastTransitionTime": since,
        **{field: condition[field] for field in ("reason", "message") if condition.get(field)},
    }
    if at is None:
        return {**status, "conditions": [*conditions, held]}
    return {**status, "conditions": [*conditions[:at], held, *conditions[at + 1 :]]}


def is_ready(pod: JsonObject) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
