"""A kubelet, as small as it can be: what becomes of a pod next. The same for our plane and for the real one."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject

NODE = "node-1"
BEHAVIOUR = "test/behaviour"
"""On a pod: `run` (as without it), `stall` (runs, never ready), `succeed`, `fail`, `pend` (is never bound)."""
_ORDER = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


@dataclass
class Doing:
    """What to do now, or when to look again."""

    bind: str = ""
    status: JsonObject = field(default_factory=dict)
    remove: bool = False
    after_s: float | None = None


def next_doing(pod: JsonObject, now: datetime, *, ready_after_s: float = 0.0, linger_s: float = 0.0) -> Doing:
    metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
    if metadata.get("deletionTimestamp"):
        begun = datetime.fromisoformat(metadata["deletionTimestamp"])
        begun -= timedelta(seconds=metadata.get("deletionGracePeriodSeconds") or 0)
        left_s = (begun - now).total_seconds() + linger_s
        return Doing(after_s=left_s) if left_s > 0 else Doing(remove=not metadata.get("finalizers"))
    behaviour = (metadata.get("annotations") or {}).get(BEHAVIOUR, "run")
    if behaviour == "pend" or status.get("phase") in ("Succeeded", "Failed"):
        return Doing()
    if not spec.get("nodeName"):
        return Doing(bind=_target(spec))
    left_s = ready_after_s - (now - datetime.fromisoformat(metadata["creationTimestamp"])).total_seconds()
    if left_s > 0:
        return Doing(after_s=left_s)
    wanted = status_of(pod, behaviour, now)
    return Doing() if wanted["phase"] == status.get("phase") else Doing(status=wanted)


def _target(spec: JsonObject) -> str:
    terms = (
        ((spec.get("affinity") or {}).get("nodeAffinity") or {})
        .get("requiredDuringSchedulingIgnoredDuringExecution", {})
        .get("nodeSelectorTerms", [])
    )
    named = [expression["values"][0] for term in terms for expression in term.get("matchFields", [])]
    return named[0] if named else NODE


def status_of(pod: JsonObject, behaviour: str, now: datetime) -> JsonObject:
    phase = {"succeed": "Succeeded", "fail": "Failed"}.get(behaviour, "Running")
    ready = behaviour == "run"
    when = rfc3339(now)
    conditions = [
        {"type": type_, "status": "True" if ready or "Ready" not in type_ else "False", "lastTransitionTime": when}
        for type_ in _ORDER
    ]
    return {"phase": phase, "conditions": conditions, "containerStatuses": containers(pod, phase, now, ready=ready)}


def containers(pod: JsonObject, phase: str, now: datetime, *, ready: bool) -> list[JsonObject]:
    when = rfc3339(now)
    code = {"Failed": 3, "Succeeded": 0}.get(phase)
    ended = {"exitCode": code, "finishedAt": when, "startedAt": when, "reason": "Error" if code else "Completed"}
    state = {"running": {"startedAt": when}} if code is None else {"terminated": ended}
    return [
        {
            "name": each["name"],
            "image": each["image"],
            "imageID": "",
            "ready": ready,
            "restartCount": 0,
            "state": state,
        }
        for each in pod["spec"]["containers"]
    ]
