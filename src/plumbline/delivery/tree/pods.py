"""A pod in a few words, as `kubectl get pods` has them: why it is as it is, and how many of its containers are ready. Pure."""

from typing import Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.delivery.tree.reading import below, number, records, text, texts
from plumbline.delivery.tree.requests import requested

ENDED: Final = frozenset({"Failed", "Succeeded"})


class _Standing(NamedTuple):
    reason: str
    ready: int
    total: int
    restarts: int


def pod_portrait(pod: JsonObject) -> JsonObject:
    standing = _standing(pod)
    phase = text(pod, "status", "phase")
    told = [("Status Reason", standing.reason)] if standing.reason else []
    told += [("Node", text(pod, "spec", "nodeName")), ("Containers", f"{standing.ready}/{standing.total}")]
    if standing.restarts:
        told.append(("Restart Count", str(standing.restarts)))
    if phase not in ENDED:
        asked = requested(pod)
        told += [(name, str(asked.get(name, 0))) for name in ("cpu", "memory")]
    containers = (*records(pod, "spec", "initContainers"), *records(pod, "spec", "containers"))
    images = sorted({text(each, "image") for each in containers} - {""})
    labels = texts(pod, "metadata", "labels")
    return {
        "info": [{"name": name, "value": value} if value else {"name": name} for name, value in told],
        "images": images,
        "networkingInfo": {"labels": labels} if labels else {},
    }


def _standing(pod: JsonObject) -> _Standing:
    before = _before(pod)
    initialised = any(
        each.get("type") == "Initialized" and each.get("status") == "True"
        for each in records(pod, "status", "conditions")
    )
    total = sum(1 for _ in records(pod, "spec", "containers")) + len(_sidecars(pod))
    standing = before._replace(reason=before.reason or _first_reason(pod), total=total)
    if not before.reason or initialised:
        standing = _running(pod, standing)
    if not text(pod, "metadata", "deletionTimestamp"):
        return standing
    if text(pod, "status", "reason") == "NodeLost":
        return standing._replace(reason="Unknown")
    return standing if text(pod, "status", "phase") in ENDED else standing._replace(reason="Terminating")


def _first_reason(pod: JsonObject) -> str:
    gated = any(
        each.get("type") == "PodScheduled" and each.get("reason") == "SchedulingGated"
        for each in records(pod, "status", "conditions")
    )
    return "SchedulingGated" if gated else text(pod, "status", "reason") or text(pod, "status", "phase")


def _sidecars(pod: JsonObject) -> frozenset[str]:
    return frozenset(
        text(each, "name") for each in records(pod, "spec", "initContainers") if each.get("restartPolicy") == "Always"
    )


def _before(pod: JsonObject) -> _Standing:
    """What comes before the containers themselves; a reason only where one of them holds up the rest."""
    ready = restarts = 0
    sidecars = _sidecars(pod)
    count = sum(1 for _ in records(pod, "spec", "initContainers"))
    for at, status in enumerate(records(pod, "status", "initContainerStatuses")):
        restarts += number(status, "restartCount")
        ended = below(status, "state", "terminated")
        if ended and not number(ended, "exitCode"):
            continue
        if text(status, "name") in sidecars and status.get("started") is True:
            ready += status.get("ready") is True
            continue
        waiting = text(status, "state", "waiting", "reason")
        if ended:
            reason = f"Init:{_end(ended)}"
        elif waiting and waiting != "PodInitializing":
            reason = f"Init:{waiting}"
        else:
            reason = f"Init:{at}/{count}"
        return _Standing(reason, ready, 0, restarts)
    return _Standing("", ready, 0, restarts)


def _running(pod: JsonObject, standing: _Standing) -> _Standing:
    reason, ready, _, restarts = standing
    running = False
    for status in reversed(list(records(pod, "status", "containerStatuses"))):
        restarts += number(status, "restartCount")
        waiting = text(status, "state", "waiting", "reason")
        ended = below(status, "state", "terminated")
        if waiting:
            reason = waiting
        elif ended:
            reason = _end(ended)
        elif status.get("ready") is True and below(status, "state").get("running") is not None:
            running = True
            ready += 1
    if reason == "Completed" and running:
        reason = "Running"
    return standing._replace(reason=reason, ready=ready, restarts=restarts)


def _end(ended: JsonObject) -> str:
    signal = number(ended, "signal")
    return text(ended, "reason") or (f"Signal:{signal}" if signal else f"ExitCode:{number(ended, 'exitCode')}")
