"""Pods: one word for what all their containers are doing."""

from typing import Any, Final, NamedTuple, TypedDict

import msgspec

from plumbline.apiserver.tables.ages import human_duration, moment_s
from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.reading import NONE, age, at, flag, holds, items, name, number, records, text
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

_COLUMNS: Final = """
    Name
    Ready | The aggregate readiness state of this pod for accepting traffic.
    Status | The aggregate status of the containers in this pod.
    Restarts | The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.
    Age
    IP* | @core.v1.PodStatus.podIP
    Node* | @core.v1.PodSpec.nodeName
    Nominated Node* | @core.v1.PodStatus.nominatedNodeName
    Readiness Gates* | @core.v1.PodSpec.readinessGates
"""
_COMPLETED: Final[dict[str, str]] = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


class _Metadata(TypedDict, total=False):
    name: Any
    creationTimestamp: Any
    deletionTimestamp: Any


class _InitContainer(TypedDict, total=False):
    name: Any
    restartPolicy: Any


class _Spec(TypedDict, total=False):
    containers: list[msgspec.Raw]
    initContainers: list[_InitContainer]
    nodeName: Any
    readinessGates: Any


class _Condition(TypedDict, total=False):
    type: Any
    status: Any
    reason: Any


class _ContainerStatus(TypedDict, total=False):
    name: Any
    lastState: Any
    ready: Any
    restartCount: Any
    started: Any
    state: Any


class _Status(TypedDict, total=False):
    conditions: list[_Condition]
    containerStatuses: list[_ContainerStatus]
    initContainerStatuses: list[_ContainerStatus]
    nominatedNodeName: Any
    phase: Any
    podIP: Any
    podIPs: Any
    reason: Any


class _Pod(TypedDict, total=False):
    """All that a row shows; a pod has ten times as much."""

    metadata: _Metadata
    spec: _Spec
    status: _Status


class _Restarts(NamedTuple):
    total: int = 0
    last_s: float | None = None

    def and_of(self, container: JsonObject) -> "_Restarts":
        finished_s = moment_s(text(container, "lastState", "terminated", "finishedAt"))
        known = [each for each in (self.last_s, finished_s) if each is not None]
        return _Restarts(self.total + number(container, "restartCount"), max(known, default=None))


class _Start(NamedTuple):
    """How far the init containers are; `reason` is empty once nothing keeps the others from running."""

    reason: str
    ready: int
    restarts: _Restarts
    sidecar_restarts: _Restarts


class _Run(NamedTuple):
    """What the containers do; `failure` is why one of them ended that should not have."""

    reason: str
    failure: str
    ready: int
    restarts: _Restarts


def _cells(pod: JsonObject, now_s: float) -> list[Json]:
    status = at(pod, "status")
    conditions = records(status, "conditions")
    init_containers = records(pod, "spec", "initContainers")
    start = _start(records(status, "initContainerStatuses"), init_containers)
    reason, ready, restarts = start.reason or _phase(status, conditions), start.ready, start.restarts
    if not start.reason or holds(conditions, "Initialized"):
        run = _run(records(status, "containerStatuses"), reason, start.sidecar_restarts)
        reason, ready, restarts = _settled(run, conditions), ready + run.ready, run.restarts
    declared = len(items(pod, "spec", "containers")) + sum(map(_restartable, init_containers))
    return [
        name(pod),
        f"{ready}/{declared}",
        _removal(pod) or reason,
        _restarted(restarts, now_s),
        age(pod, now_s),
        _address(status) or NONE,
        text(pod, "spec", "nodeName") or NONE,
        text(status, "nominatedNodeName") or NONE,
        _readiness_gates(pod, conditions),
    ]


def _phase(status: Json, conditions: list[JsonObject]) -> str:
    if any(each.get("type") == "PodScheduled" and each.get("reason") == "SchedulingGated" for each in conditions):
        return "SchedulingGated"
    return text(status, "reason") or text(status, "phase")


def _restartable(container: JsonObject) -> bool:
    """Whether it is a sidecar: an init container that goes on running."""
    return container.get("restartPolicy") == "Always"


def _start(statuses: list[JsonObject], declared: list[JsonObject]) -> _Start:
    sidecars = {text(each, "name"): _restartable(each) for each in declared}
    ready, restarts, sidecar_restarts = 0, _Restarts(), _Restarts()
    for index, container in enumerate(statuses):
        sidecar = sidecars.get(text(container, "name"), False)
        restarts = restarts.and_of(container)
        if sidecar:
            sidecar_restarts = sidecar_restarts.and_of(container)
        terminated = at(container, "state", "terminated")
        if isinstance(terminated, dict) and not number(terminated, "exitCode"):
            continue
        if sidecar and flag(container, "started"):
            ready += flag(container, "ready")
            continue
        reason = _hindrance(container) or f"{index}/{len(declared)}"
        return _Start(f"Init:{reason}", ready, restarts, sidecar_restarts)
    return _Start("", ready, restarts, sidecar_restarts)


def _hindrance(container: JsonObject) -> str:
    """Why an init container is not done, where there is more to say than that."""
    terminated = at(container, "state", "terminated")
    if isinstance(terminated, dict):
        return _ending(terminated)
    waiting = text(container, "state", "waiting", "reason")
    return "" if waiting == "PodInitializing" else waiting


def _ending(terminated: JsonObject) -> str:
    if reason := text(terminated, "reason"):
        return reason
    signal = number(terminated, "signal")
    return f"Signal:{signal}" if signal else f"ExitCode:{number(terminated, 'exitCode')}"


def _run(statuses: list[JsonObject], reason: str, restarts: _Restarts) -> _Run:
    """From the last container to the first, which has the last word."""
    failure, ready = "", 0
    for container in reversed(statuses):
        restarts = restarts.and_of(container)
        terminated = at(container, "state", "terminated")
        if waiting := text(container, "state", "waiting", "reason"):
            reason = waiting
        elif isinstance(terminated, dict):
            reason = _ending(terminated)
            if number(terminated, "exitCode"):
                failure = reason
        elif flag(container, "ready") and isinstance(at(container, "state", "running"), dict):
            ready += 1
    return _Run(reason, failure, ready, restarts)


def _settled(run: _Run, conditions: list[JsonObject]) -> str:
    """A container that completed does not complete the pod while another is running."""
    if run.reason != "Completed":
        return run.reason
    if run.ready and any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions):
        return "Running"
    return run.failure or ("NotReady" if run.ready else run.reason)


def _removal(pod: JsonObject) -> str:
    if at(pod, "metadata", "deletionTimestamp") is None:
        return ""
    if text(pod, "status", "reason") == "NodeLost":
        return "Unknown"
    return "" if text(pod, "status", "phase") in _COMPLETED else "Terminating"


def _restarted(restarts: _Restarts, now_s: float) -> str:
    if not restarts.total or restarts.last_s is None:
        return str(restarts.total)
    return f"{restarts.total} ({human_duration(now_s - restarts.last_s)} ago)"


def _address(status: Json) -> str:
    addresses = records(status, "podIPs")
    return text(addresses[0], "ip") if addresses else text(status, "podIP")


def _readiness_gates(pod: JsonObject, conditions: list[JsonObject]) -> str:
    gates = records(pod, "spec", "readinessGates")
    if not gates:
        return NONE
    return f"{sum(holds(conditions, text(gate, 'conditionType')) for gate in gates)}/{len(gates)}"


def _conditions(pod: JsonObject) -> list[JsonObject]:
    phase = text(pod, "status", "phase")
    message = _COMPLETED.get(phase)
    return [{"type": "Completed", "status": "True", "reason": phase, "message": message}] if message else []


PRINTERS: Final = {GroupKind("", "Pod"): BuiltinPrinter(_COLUMNS, _cells, shape=_Pod, conditions=_conditions)}
