"""How a pod gets its node, and how one is told that it gets none."""

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject


async def bind(cluster: Cluster, pod: JsonObject, node: str) -> JsonObject:
    """Write it as the binding subresource does. Raises RequestRefused where the pod has changed since."""
    version = metadata_of(pod).get("resourceVersion")
    now = cluster.now()

    def bound(live: JsonObject) -> JsonObject:
        condition = {"type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": now}
        status = {**(live.get("status") or {}), "conditions": _with(live, condition)}
        status.pop("nominatedNodeName", None)
        metadata = {**metadata_of(live), "resourceVersion": version}
        return {**live, "metadata": metadata, "spec": {**live["spec"], "nodeName": node}, "status": status}

    return await cluster.edit(pod, bound, subresource="binding")


def unschedulable_status(pod: JsonObject, reason: str, message: str, now: str) -> JsonObject:
    """The pod's status with that reason for not having a place; the same where it has it already."""
    status: JsonObject = pod.get("status") or {}
    old = next((each for each in status.get("conditions") or () if each.get("type") == "PodScheduled"), None)
    if old is not None and (old.get("reason"), old.get("message")) == (reason, message):
        return status
    since = old.get("lastTransitionTime") if old is not None and old.get("status") == "False" else now
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
        "observedGeneration": metadata_of(pod).get("generation"),
    }
    written = {field: value for field, value in condition.items() if value is not None or field == "lastProbeTime"}
    return {**status, "conditions": _with(pod, written)}


def _with(pod: JsonObject, condition: JsonObject) -> list[JsonObject]:
    """The pod's conditions with this one, in the place of the old one of its type."""
    conditions = list((pod.get("status") or {}).get("conditions") or ())
    for place, each in enumerate(conditions):
        if each.get("type") == condition["type"]:
            conditions[place] = condition
            return conditions
    return [*conditions, condition]
