"""A pod's conditions, in the kubelet's order and words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from plumbline.apiserver.nodes.pods.run import ContainerRun
from plumbline.apiserver.nodes.pods.view import FINISHED, PodView, Role
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

_OWNED: Final = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


class Condition(NamedTuple):
    status: bool
    reason: str = ""
    message: str = ""


class Seen(NamedTuple):
    """What conditions are made of."""

    runs: Mapping[str, ContainerRun]
    phase: str
    sandbox: bool
    """The pod has its network, and keeps it until it is finished."""


def conditions_of(pod: PodView, seen: Seen, now: str) -> list[JsonObject]:
    """Those of others first, as they are; then the kubelet's, each with the time of its last change."""
    old = {str(each.get("type")): each for each in pod.status.get("conditions") or ()}
    others = [each for type_, each in old.items() if type_ not in _OWNED]
    containers = _containers_ready(pod, seen)
    made = {
        "PodReadyToStartContainers": Condition(seen.sandbox and seen.phase not in FINISHED),
        "Initialized": _initialized(pod, seen),
        "Ready": _ready(pod, containers, others),
        "ContainersReady": containers,
        "PodScheduled": Condition(status=True),
    }
    return [*others, *(_written(type_, made[type_], old.get(type_), pod, now) for type_ in _OWNED)]


def _written(type_: str, made: Condition, old: JsonObject | None, pod: PodView, now: str) -> JsonObject:
    status = "True" if made.status else "False"
    kept = old is not None and old.get("status") == status
    written: JsonObject = {
        "type": type_,
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": old.get("lastTransitionTime") if old is not None and kept else now,
        "observedGeneration": pod.generation,
        "reason": made.reason,
        "message": made.message,
    }
    return {field: value for field, value in written.items() if value or field == "lastProbeTime"}


def _initialized(pod: PodView, seen: Seen) -> Condition:
    if seen.phase == "Succeeded":
        return Condition(True, "PodCompleted")
    if any(seen.runs[each.name].running or seen.runs[each.name].ended for each in pod.main):
        return Condition(True)
    incomplete = []
    for each in pod.init:
        run = seen.runs[each.name]
        done = run.up if each.role is Role.SIDECAR else run.ended is not None and not run.ended.code
        if not done:
            incomplete.append(each.name)
    if not incomplete:
        return Condition(True)
    return Condition(False, "ContainersNotInitialized", f"containers with incomplete status: {_listed(incomplete)}")


def _containers_ready(pod: PodView, seen: Seen) -> Condition:
    if seen.phase in FINISHED:
        return Condition(False, "PodCompleted" if seen.phase == "Succeeded" else "PodFailed")
    lasting = [*(each for each in pod.init if each.role is Role.SIDECAR), *pod.main]
    unready = [each.name for each in lasting if not seen.runs[each.name].ready]
    if not unready:
        return Condition(True)
    return Condition(False, "ContainersNotReady", f"containers with unready status: {_listed(unready)}")


def _ready(pod: PodView, containers: Condition, others: Sequence[JsonObject]) -> Condition:
    if not containers.status:
        return containers
    faults = []
    for gate in pod.spec.get("readinessGates") or ():
        wanted = str(gate.get("conditionType"))
        status = next((each.get("status") for each in others if each.get("type") == wanted), None)
        if status is None:
            faults.append(f"corresponding condition of pod readiness gate {quoted(wanted)} does not exist.")
        elif status != "True":
            faults.append(f'the status of pod readiness gate {quoted(wanted)} is not "True", but {status}')
    return Condition(False, "ReadinessGatesNotReady", ", ".join(faults)) if faults else Condition(True)


def _listed(names: Iterable[str]) -> str:
    return f"[{' '.join(names)}]"
