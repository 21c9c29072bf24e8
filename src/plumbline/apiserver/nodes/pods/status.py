"""The status that a kubelet writes for a pod, and what it learns from one that it finds."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.nodes.moments import instant, stamp
from plumbline.apiserver.nodes.pods.conditions import Seen, conditions_of
from plumbline.apiserver.nodes.pods.images import Image, parsed
from plumbline.apiserver.nodes.pods.phases import phase_of
from plumbline.apiserver.nodes.pods.run import ContainerRun, Ended, PodRun
from plumbline.apiserver.nodes.pods.view import FINISHED, Container, PodView, Role
from plumbline.apiserver.nodes.requests import pod_resources, spelled
from plumbline.apiserver.nodes.settings import Timing
from plumbline.base.json import JsonObject

_LISTS: Final = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


def status_of(pod: PodView, run: PodRun, host_ip: str, now_s: float, *, stopped: bool) -> JsonObject:
    """*run* as the API shows it; what others wrote into the status stays."""
    now = stamp(now_s) or ""
    phase = "Failed" if run.reason else _phase(pod, run, stopped=stopped)
    ran = any(each.id for each in run.containers.values())
    # Of a pod that never ran, only the phase says that it is over.
    seen = Seen(run.containers, phase if ran else str(pod.status.get("phase") or phase), sandbox=run.mounted)
    kept = _kept(pod.status, phase)
    status: JsonObject = {
        **kept,
        "phase": phase,
        "observedGeneration": pod.generation,
        "conditions": conditions_of(pod, seen, now),
        "hostIP": host_ip,
        "hostIPs": [{"ip": host_ip}],
        "startTime": pod.status.get("startTime") or now,
        "resources": _resources(pod),
        "allocatedResources": spelled(pod_resources(pod.spec, "requests")),
        "containerStatuses": sorted(_statuses(pod, run, pod.main), key=lambda each: str(each["name"])),
        "initContainerStatuses": _statuses(pod, run, pod.init),
        "ephemeralContainerStatuses": sorted(_statuses(pod, run, pod.ephemeral), key=lambda each: str(each["name"])),
        "reason": run.reason or kept.get("reason"),
        "message": run.message or kept.get("message"),
        "podIP": run.ip,
        "podIPs": [{"ip": run.ip}] if run.ip else None,
    }
    return {field: value for field, value in status.items() if value or field == "resources"}


def adopted(pod: PodView, timing: Timing) -> PodRun:
    """What runs of a pod according to its status: of another life of this process, or of another kubelet."""
    found = {str(each.get("name")): each for field in _LISTS for each in pod.status.get(field) or ()}
    runs = {each.name: _adopted(each, found.get(each.name) or {}, timing) for each in pod.containers}
    ip = str(pod.status.get("podIP") or "")
    begun = any(run.running or run.ended or run.last or run.waiting for run in runs.values())
    return PodRun(runs, mounted=begun or bool(ip), ip=ip)


def _phase(pod: PodView, run: PodRun, *, stopped: bool) -> str:
    phase = phase_of(pod, run.containers, stopped=stopped)
    return phase if phase in FINISHED or not stopped else "Failed"


def _kept(old: JsonObject, phase: str) -> JsonObject:
    """What kubelets leave alone; a reason and a message belong to the phase they came with."""
    if old.get("phase") == phase:
        return old
    return {field: value for field, value in old.items() if field not in ("reason", "message")}


def _resources(pod: PodView) -> JsonObject:
    made = {field: spelled(pod_resources(pod.spec, field)) for field in ("limits", "requests")}
    return {field: amounts for field, amounts in made.items() if amounts}


def _statuses(pod: PodView, run: PodRun, containers: Sequence[Container]) -> list[JsonObject]:
    return [_container_status(pod, each, run.containers[each.name]) for each in containers]


def _container_status(pod: PodView, container: Container, run: ContainerRun) -> JsonObject:
    over = run.ended is not None and not run.ended.code
    made = bool(run.id)
    image = parsed(container.image) if made else None
    status: JsonObject = {
        "name": container.name,
        "image": image.reference if isinstance(image, Image) else container.image,
        "imageID": image.id if isinstance(image, Image) else "",
        "ready": over if container.role is Role.INIT else run.ready,
        "started": run.up,
        "restartCount": run.restarts,
        "state": _state(pod, run),
        "lastState": {"terminated": _ended(run.last)} if run.last else {},
    }
    if made:
        status["containerID"] = run.id
        status["resources"] = container.spec.get("resources") or {}
        status["user"] = {"linux": _user(pod, container)}
        requests = status["resources"].get("requests")
        if requests:
            status["allocatedResources"] = requests
    mounts = [_mount(each) for each in container.spec.get("volumeMounts") or ()]
    return {**status, "volumeMounts": mounts} if mounts else status


def _state(pod: PodView, run: ContainerRun) -> JsonObject:
    if run.started_s is not None:
        return {"running": {"startedAt": stamp(run.started_s)}}
    if run.ended is not None:
        return {"terminated": _ended(run.ended)}
    if run.waiting:
        waiting = {"reason": run.waiting, "message": run.message}
        return {"waiting": {field: value for field, value in waiting.items() if value}}
    return {"waiting": {"reason": "PodInitializing" if pod.init else "ContainerCreating"}}


def _ended(end: Ended) -> JsonObject:
    ended: JsonObject = {
        "exitCode": end.code,
        "reason": end.reason,
        "message": end.message,
        "startedAt": stamp(end.started_s),
        "finishedAt": stamp(end.finished_s),
        "containerID": end.id,
    }
    return {field: value for field, value in ended.items() if value != ""}


def _mount(mount: JsonObject) -> JsonObject:
    shown: JsonObject = {"name": mount.get("name"), "mountPath": mount.get("mountPath")}
    return {**shown, "readOnly": True, "recursiveReadOnly": "Disabled"} if mount.get("readOnly") else shown


def _user(pod: PodView, container: Container) -> JsonObject:
    whole: JsonObject = pod.spec.get("securityContext") or {}
    context = {**whole, **(container.spec.get("securityContext") or {})}
    group = int(context.get("runAsGroup") or 0)
    groups = {group, *(int(each) for each in whole.get("supplementalGroups") or ())}
    if whole.get("fsGroup") is not None:
        groups.add(int(whole["fsGroup"]))
    return {"uid": int(context.get("runAsUser") or 0), "gid": group, "supplementalGroups": sorted(groups)}


def _adopted(container: Container, status: JsonObject, timing: Timing) -> ContainerRun:
    state: JsonObject = status.get("state") or {}
    running, waiting = state.get("running"), state.get("waiting") or {}
    reason = str(waiting.get("reason") or "")
    restarts = int(status.get("restartCount") or 0)
    backoff_s = min(timing.backoff_s * 2 ** min(restarts - 1, 16), timing.longest_backoff_s) if restarts else 0.0
    started_s = instant(running.get("startedAt")) if running else None
    return ContainerRun(
        waiting="" if reason in ("ContainerCreating", "PodInitializing") else reason,
        message=str(waiting.get("message") or ""),
        started_s=started_s,
        up=bool(status.get("started")),
        ready=bool(status.get("ready")) and container.role is not Role.INIT,
        ended=_adopted_end(state.get("terminated")),
        last=_adopted_end((status.get("lastState") or {}).get("terminated")),
        id=str(status.get("containerID") or ""),
        image=container.image,
        restarts=restarts,
        backoff_s=backoff_s,
        restarted_s=started_s or 0.0,
    )


def _adopted_end(end: JsonObject | None) -> Ended | None:
    if end is None:
        return None
    return Ended(
        int(end.get("exitCode") or 0),
        str(end.get("reason") or ""),
        instant(end.get("startedAt")),
        instant(end.get("finishedAt")),
        str(end.get("containerID") or ""),
        str(end.get("message") or ""),
    )
