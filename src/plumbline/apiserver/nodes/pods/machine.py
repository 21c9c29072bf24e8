"""One look at one pod: from what runs of it to what runs next, and what there is to tell about that.

Nothing here writes or waits. The order is the kubelet's: volumes, then init containers one after the other, sidecars
among them, then all others together. A container is moved on until it has to wait for time or for somebody else.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from plumbline.apiserver.nodes.events import Note
from plumbline.apiserver.nodes.pods.behavior import Behavior, Scenario, behavior_of, stop_after_s
from plumbline.apiserver.nodes.pods.references import Ref, Surroundings, mount_fault
from plumbline.apiserver.nodes.pods.restarting import ended, restarted
from plumbline.apiserver.nodes.pods.run import WAITING, ContainerRun, Ended, PodRun
from plumbline.apiserver.nodes.pods.starting import Starter
from plumbline.apiserver.nodes.pods.view import Container, PodView, Role
from plumbline.apiserver.nodes.settings import Timing

DEADLINE: Final = "DeadlineExceeded"
_DEADLINE_MESSAGE: Final = "Pod was active on the node longer than the specified deadline"
_NEVER_RAN: Final = Ended(
    137, "ContainerStatusUnknown", message="The container could not be located when the pod was terminated"
)
_TERMINATED: Final = 143
_MOVES: Final = 8
"""More than any container can make in one look, as ends and restarts are some time apart."""

replace = msgspec.structs.replace


class Step(msgspec.Struct, frozen=True):
    run: PodRun
    notes: Sequence[Note] = ()
    wake_s: float | None = None
    """The moment of the next look; None where only a change calls for one."""
    missing: frozenset[Ref] = frozenset()
    """Objects whose arrival calls for one."""
    images: frozenset[str] = frozenset()
    """Images that were pulled."""
    stopped: bool = False
    """Nothing of it runs any more, nor will."""


class Machine:
    def __init__(self, pod: PodView, around: Surroundings, new_id: Callable[[], str], now_s: float) -> None:
        self._pod = pod
        self._around = around
        self._new_id = new_id
        self._now_s = now_s
        self._notes: list[Note] = []
        self._wakes: list[float] = []
        self._missing: set[Ref] = set()

    def step(self, run: PodRun, scenario: Scenario, timing: Timing) -> Step:
        self._scenario, self._timing = scenario, timing
        self._starter = Starter(self._pod, self._around, self._new_id, self._now_s, timing)
        self._runs = {each.name: run.containers.get(each.name, WAITING) for each in self._pod.containers}
        if self._pod.deleted:
            return self._stop(run)
        if self._late():
            self._notes.append(Note(DEADLINE, _DEADLINE_MESSAGE))
            self._tell_of_stopping(self._pod.containers)
            return self._kill(replace(run, reason=DEADLINE, message=_DEADLINE_MESSAGE))
        run = self._mount(run)
        if run.mounted:
            self._run_containers()
        return self._done(run)

    def _run_containers(self) -> None:
        if not all(self._initialize(each) for each in self._pod.init):
            return
        for each in (*self._pod.main, *self._pod.ephemeral):
            self._keep(each)
        if all(self._over(each) for each in self._pod.main):
            self._tell_of_stopping(self._pod.init)
            for each in self._pod.init:
                self._end(each, 0)

    def _done(self, run: PodRun, *, stopped: bool = False) -> Step:
        wake_s = min((each for each in self._wakes if each > self._now_s), default=None)
        notes = (*self._starter.notes, *self._notes)
        missing = frozenset(self._missing | self._starter.missing)
        images = frozenset(self._starter.images)
        return Step(replace(run, containers=self._runs), notes, wake_s, missing, images, stopped)

    def _late(self) -> bool:
        deadline_s = self._pod.deadline_s(self._now_s)
        if deadline_s is None:
            return False
        self._wakes.append(deadline_s)
        return self._now_s >= deadline_s

    def _mount(self, run: PodRun) -> PodRun:
        if run.mounted:
            return run
        fault = mount_fault(self._pod, self._around)
        if fault is None:
            return replace(run, mounted=True, complaint="")
        self._missing.add(fault.ref)
        if fault.message != run.complaint:
            self._notes.append(Note("FailedMount", fault.message, warning=True))
        return replace(run, complaint=fault.message)

    def _initialize(self, container: Container) -> bool:
        """Bring it forward; whether the next one may begin."""
        run = self._keep(container)
        if container.role is Role.SIDECAR:
            return run.up or self._begun()
        return _succeeded(run)

    def _begun(self) -> bool:
        """Whether any main container was ever started: sidecars that end later keep nobody from running."""
        return any(self._runs[each.name].id for each in self._pod.main)

    def _over(self, container: Container) -> bool:
        run = self._runs[container.name]
        return run.ended is not None and not self._pod.restarts(container, run.ended.code)

    def _keep(self, container: Container) -> ContainerRun:
        """Move it on until it waits for time, for something missing, or for ever."""
        run = self._runs[container.name]
        behavior = behavior_of(self._pod, container, self._scenario, self._timing)
        for _ in range(_MOVES):
            moved = self._moved(container, run, behavior)
            if moved == run:
                break
            run = moved
        if run.due_s is not None and not run.running and run.ended is None:
            self._wakes.append(run.due_s)
        self._runs[container.name] = run
        return run

    def _moved(self, container: Container, run: ContainerRun, behavior: Behavior) -> ContainerRun:
        if run.ended is not None:
            return self._after_end(container, run, run.ended, behavior)
        if run.started_s is None:
            return self._starter.tried(container, run, behavior)
        if run.image != container.image:
            self._tell(container, Note("Killing", f"Container {container.name} definition changed, will be restarted"))
            over = ended(run, 0, "Completed", self._now_s)
            return self._starter.tried(container, restarted(over, self._now_s, self._timing), behavior)
        return self._running(container, run, run.started_s, behavior)

    def _running(self, container: Container, run: ContainerRun, started_s: float, behavior: Behavior) -> ContainerRun:
        if behavior.exit is not None:
            due_s = started_s + behavior.exit.after_s
            if self._now_s >= due_s:
                return ended(run, behavior.exit.code, behavior.exit.reason, due_s)
            self._wakes.append(due_s)
        run = self._complained(container, run, started_s, behavior)
        up = self._passed(started_s + behavior.up_after_s)
        ready = up and behavior.ready_after_s is not None and self._passed(started_s + behavior.ready_after_s)
        return run if (run.up, run.ready) == (up, ready) else replace(run, up=up, ready=ready)

    def _passed(self, due_s: float) -> bool:
        if self._now_s >= due_s:
            return True
        self._wakes.append(due_s)
        return False

    def _complained(
        self, container: Container, run: ContainerRun, started_s: float, behavior: Behavior
    ) -> ContainerRun:
        """Tell once per start that a readiness probe fails, where it does; a kubelet says so at every probe."""
        probe = container.spec.get("readinessProbe")
        if run.complained or not probe or behavior.ready_after_s is not None:
            return run
        if not self._passed(started_s + float(probe.get("initialDelaySeconds") or 0)):
            return run
        message = "Readiness probe failed: simulated container never gets ready"
        self._tell(container, Note("Unhealthy", message, warning=True))
        return replace(run, complained=True)

    def _after_end(self, container: Container, run: ContainerRun, over: Ended, behavior: Behavior) -> ContainerRun:
        if not self._pod.restarts(container, over.code):
            return run
        finished_s = over.finished_s if over.finished_s is not None else self._now_s
        if not self._passed(finished_s + self._timing.sync_s):
            return run
        backoff_s = self._starter.backoff_s(run, finished_s)
        if self._now_s < finished_s + backoff_s:
            return self._starter.backed_off(container, run, finished_s + backoff_s)
        return self._starter.tried(container, restarted(run, self._now_s, self._timing), behavior)

    def _stop(self, run: PodRun) -> Step:
        stop_s = run.stop_s
        if stop_s is None:
            stopping = self._tell_of_stopping(self._pod.containers)
            stop_s = self._now_s + (stop_after_s(self._pod, self._timing) if stopping else 0.0)
        elif not self._pod.grace_s:
            stop_s = self._now_s
        if self._passed(stop_s):
            return self._kill(run)
        return self._done(replace(run, stop_s=stop_s))

    def _kill(self, run: PodRun) -> Step:
        """Whoever serves until stopped ends well when asked to; work that is interrupted has failed."""
        for each in self._pod.containers:
            self._end(each, 0 if self._pod.restarts(each, 0) or each.role is Role.SIDECAR else _TERMINATED)
        for each in self._lost():
            left = self._runs[each.name]
            over = left.last if left.last is not None else _NEVER_RAN
            self._runs[each.name] = replace(left, waiting="", message="", due_s=None, ended=over, last=left.earlier)
        return self._done(run, stopped=True)

    def _lost(self) -> list[Container]:
        """Those that wait although their turn had come: nobody will ever know what became of them."""
        pod, runs = self._pod, self._runs
        tried = [place for place, each in enumerate(pod.init) if runs[each.name].ended or runs[each.name].last]
        reached = pod.init[: tried[-1] + 1 if tried else 1]
        initialized = not pod.init or self._begun() or _succeeded(runs[pod.init[-1].name])
        begun = [*reached, *pod.main] if initialized else reached
        return [each for each in begun if runs[each.name].ended is None]

    def _end(self, container: Container, code: int) -> None:
        run = self._runs[container.name]
        if run.running:
            self._runs[container.name] = ended(run, code, "Error" if code else "Completed", self._now_s)

    def _tell_of_stopping(self, containers: Sequence[Container]) -> bool:
        running = [each for each in containers if self._runs[each.name].running]
        for each in running:
            self._tell(each, Note("Killing", f"Stopping container {each.name}"))
        return bool(running)

    def _tell(self, container: Container, note: Note) -> None:
        self._notes.append(note._replace(field=container.field))


def _succeeded(run: ContainerRun) -> bool:
    return run.ended is not None and not run.ended.code
