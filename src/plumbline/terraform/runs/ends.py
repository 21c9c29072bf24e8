"""How a Job and its pod stand: whether it is over, what keeps it from starting, and what it died of. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from plumbline.base.errors import Interrupted, PlumblineError, TimedOut, ToolFailed
from plumbline.base.json import JsonObject
from plumbline.terraform.runs.manifests import CONTAINER

_LONGEST: Final = 500
_HARMLESS: Final = frozenset({"", "ContainerCreating", "PodInitializing"})
_MEMORY: Final = "Give it more in spec.runnerPodTemplate.spec.resources.limits.memory, or split the module."
_LOOK: Final = "Look at what it may have left behind; the next run plans from the state as it is."


def over(job: JsonObject) -> bool:
    return any(_condition(job, each) for each in ("Complete", "Failed"))


def waiting_for(pods: Iterable[JsonObject]) -> str:
    """What keeps the pod of a run from starting, in the words of the cluster; empty where it runs, or is about to."""
    for pod in pods:
        for status in _statuses(pod):
            waiting = (status.get("state") or {}).get("waiting") or {}
            if waiting.get("reason", "") not in _HARMLESS:
                return _said(waiting["reason"], waiting.get("message"))
        for each in _conditions(pod):
            if each.get("type") == "PodScheduled" and each.get("status") == "False":
                return _said(each.get("reason") or "Unschedulable", each.get("message"))
    return ""


def started(pods: Iterable[JsonObject]) -> bool:
    return any((status.get("state") or {}).keys() & {"running", "terminated"} for pod in pods for status in _ours(pod))


def proof(pods: Sequence[JsonObject]) -> str:
    """What proves that a run is dead: only that its kubelet has seen its process end.

    A pod that is merely gone may go on working on a node that nobody can reach; then it is for its lock to tell.
    """
    ends = [end for pod in pods if (end := _end(pod)) is not None]
    if not pods or len(ends) < len(pods):
        return ""
    return f"its container has ended ({_cause(ends[0])})"


def death(job: JsonObject, pods: Sequence[JsonObject], operation: str) -> PlumblineError:
    """Why there is no report of a Job that is over, for whoever has to do something about it."""
    what = f"The runner of the {operation} died"
    ends = [end for pod in pods if (end := _end(pod)) is not None]
    if any(end.get("reason") == "OOMKilled" for end in ends):
        return Interrupted(what, why="it ran out of memory (OOMKilled)", hint=_MEMORY)
    evicted = next((pod["status"] for pod in pods if (pod.get("status") or {}).get("reason")), None)
    if evicted is not None:
        return Interrupted(what, why=_said(evicted["reason"], evicted.get("message")), hint=_LOOK)
    failed = _condition(job, "Failed") or {}
    if failed.get("reason") == "DeadlineExceeded":
        return TimedOut(what, why="it ran longer than its Job may (DeadlineExceeded)")
    if waiting := waiting_for(pods):
        return ToolFailed(f"The runner of the {operation} did not start", why=waiting)
    if ends:
        return Interrupted(what, why=f"its container ended without a report ({_cause(ends[0])})", hint=_LOOK)
    why = _said(failed.get("reason") or "its pod is gone", failed.get("message"))
    return Interrupted(what, why=why, hint=_LOOK)


def _cause(end: JsonObject) -> str:
    reason = str(end.get("reason") or "Error")
    signal = f", signal {end['signal']}" if end.get("signal") else ""
    return f"{reason[:_LONGEST]}, exit code {end.get('exitCode', '?')}{signal}"


def _end(pod: JsonObject) -> JsonObject | None:
    ended = [(status.get("state") or {}).get("terminated") for status in _ours(pod)]
    return ended[0] if ended and ended[0] is not None else None


def _ours(pod: JsonObject) -> list[JsonObject]:
    listed = (pod.get("status") or {}).get("containerStatuses") or ()
    return [each for each in listed if each.get("name") == CONTAINER]


def _statuses(pod: JsonObject) -> Iterator[JsonObject]:
    status = pod.get("status") or {}
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def _conditions(obj: JsonObject) -> Sequence[Any]:
    return (obj.get("status") or {}).get("conditions") or ()


def _condition(obj: JsonObject, type_: str) -> Any:
    return next((each for each in _conditions(obj) if each.get("type") == type_ and each.get("status") == "True"), None)


def _said(reason: str, message: object) -> str:
    said = f"{reason}: {message}" if message else reason
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
