"""The phase of a pod, from what its containers do."""

from collections import Counter
from collections.abc import Mapping

from plumbline.apiserver.nodes.pods.run import ContainerRun
from plumbline.apiserver.nodes.pods.view import Container, PodView, Role


def phase_of(pod: PodView, runs: Mapping[str, ContainerRun], *, stopped: bool) -> str:
    """*stopped* pods are not restarted, whatever their policy."""
    initial = [_initial(pod, each, runs[each.name]) for each in pod.init if each.role is Role.INIT]
    if "failed" in initial:
        return "Failed"
    counts = Counter(_lasting(each, runs[each.name]) for each in pod.init if each.role is Role.SIDECAR)
    begun = any(runs[each.name].id for each in pod.main)
    starting = any(_starting(runs[each.name]) for each in pod.init if each.role is Role.SIDECAR)
    counts.update(_regular(runs[each.name]) for each in pod.main)
    if "pending" in initial or (starting and not begun) or counts["waiting"]:
        return "Failed" if stopped else "Pending"
    if counts["running"]:
        return "Running"
    return _stopped_phase(pod, runs, stopped=stopped)


def _stopped_phase(pod: PodView, runs: Mapping[str, ContainerRun], *, stopped: bool) -> str:
    ends = [(each, end) for each in pod.main if (end := runs[each.name].ended or runs[each.name].last) is not None]
    if not stopped and any(pod.restarts(each, end.code) for each, end in ends):
        return "Running"
    succeeded = all(runs[each.name].ended is not None and not end.code for each, end in ends)
    return "Succeeded" if succeeded else "Failed"


def _initial(pod: PodView, container: Container, run: ContainerRun) -> str:
    end = run.ended or run.last
    if run.running or end is None:
        return "pending"
    if not end.code:
        return "done"
    return "retried" if pod.restarts(container, end.code) else "failed"


def _lasting(_: Container, run: ContainerRun) -> str:
    if run.running:
        return "running"
    return "over" if run.ended or run.last else "waiting"


def _starting(run: ContainerRun) -> bool:
    """A sidecar that was not up yet in its present life."""
    if run.running:
        return not run.up
    return not (run.ended or run.last)


def _regular(run: ContainerRun) -> str:
    if run.running:
        return "running"
    return "stopped" if run.ended or run.last else "waiting"
