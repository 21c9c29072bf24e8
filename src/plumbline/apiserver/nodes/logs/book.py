"""The logs of all simulated containers: the one that runs or ran last, and the one before it."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.nodes.logs.buffer import Line, LogBuffer
from plumbline.apiserver.nodes.pods.behavior import Scenario, behavior_of
from plumbline.apiserver.nodes.pods.run import ContainerRun, PodRun
from plumbline.apiserver.nodes.pods.view import Container, PodView
from plumbline.apiserver.nodes.settings import Timing

_KEPT: Final = 2
_PROBES: Final = ("livenessProbe", "readinessProbe")


class LogBook:
    def __init__(self, scenario: Scenario | None = None, timing: Timing | None = None) -> None:
        self._scenario = scenario or Scenario()
        self._timing = timing or Timing()
        self._pods: dict[str, dict[str, dict[str, LogBuffer]]] = {}
        """By the pod's uid, the container's name, and its id; the newest last."""

    def observe(self, pod: PodView, run: PodRun) -> None:
        """Open the logs of what began, and close those of what ended."""
        containers = self._pods.setdefault(pod.uid, {})
        for each in pod.containers:
            found = run.containers.get(each.name)
            if found is not None and found.id:
                self._observe(pod, each, found, containers.setdefault(each.name, {}))

    def find(self, pod: PodView, container: str, id_: str) -> LogBuffer | None:
        """The log of the container with that id; made up again where it is from an earlier life of this process."""
        return self._pods.get(pod.uid, {}).get(container, {}).get(id_)

    def write(self, pod: PodView, container: str, text: str, at_s: float) -> None:
        """Let the newest container of that name write a line; one that never began writes nothing."""
        buffers = self._pods.get(pod.uid, {}).get(container)
        if buffers:
            buffers[next(reversed(buffers))].write(at_s, text)

    def forget(self, uid: str) -> None:
        for buffers in self._pods.pop(uid, {}).values():
            for buffer in buffers.values():
                buffer.close(0.0)

    def _observe(self, pod: PodView, container: Container, run: ContainerRun, buffers: dict[str, LogBuffer]) -> None:
        for end in (run.last, run.ended):
            if end is not None and end.id and end.started_s is not None:
                buffer = self._opened(pod, container, end.id, end.started_s, buffers)
                if not buffer.closed:
                    finished_s = end.finished_s if end.finished_s is not None else end.started_s
                    buffer.catch_up(finished_s)
                    buffer.write(finished_s, f"simulated container {container.name} ends with code {end.code}")
                    buffer.close(finished_s)
        if run.started_s is not None:
            self._opened(pod, container, run.id, run.started_s, buffers)
        while len(buffers) > _KEPT:
            del buffers[next(iter(buffers))]

    def _opened(
        self, pod: PodView, container: Container, id_: str, started_s: float, buffers: dict[str, LogBuffer]
    ) -> LogBuffer:
        if id_ in buffers:
            return buffers[id_]
        behavior = behavior_of(pod, container, self._scenario, self._timing)
        every_s, repeated = behavior.log_every_s, behavior.log
        if every_s is None:
            every_s, repeated = _probe_hits(container)
        later = [Line(started_s + said.after_s, said.text) for said in behavior.says]
        buffer = buffers[id_] = LogBuffer(started_s, every_s=every_s or None, repeated=repeated, later=later)
        about = f"simulated container {container.name} of pod {pod.namespace}/{pod.name} starts with {container.image}"
        for text in (about, *behavior.log):
            buffer.write(started_s, text)
        buffer.catch_up(started_s)
        return buffer


def _probe_hits(container: Container) -> tuple[float | None, Sequence[str]]:
    for field in _PROBES:
        probe = container.spec.get(field) or {}
        if probe.get("httpGet"):
            path = probe["httpGet"].get("path") or "/"
            return float(probe.get("periodSeconds") or 10), (f'kube-probe/1.36 "GET {path}" 200',)
    return None, ()
