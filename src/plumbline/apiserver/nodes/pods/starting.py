"""From a container that waits to one that runs, or to the next reason for waiting."""

from collections.abc import Callable
from typing import Final

import msgspec

from plumbline.apiserver.nodes.events import Note
from plumbline.apiserver.nodes.moments import printed_duration
from plumbline.apiserver.nodes.pods.behavior import Behavior
from plumbline.apiserver.nodes.pods.images import BadName, Image, parsed, pull_failure
from plumbline.apiserver.nodes.pods.references import Ref, Surroundings, environment_fault
from plumbline.apiserver.nodes.pods.restarting import forgiven, restarted
from plumbline.apiserver.nodes.pods.run import ContainerRun, container_id
from plumbline.apiserver.nodes.pods.view import Container, PodView
from plumbline.apiserver.nodes.settings import Timing
from plumbline.kube.gotext import quoted

CRASH_LOOP: Final = "CrashLoopBackOff"
PULL_FAILED: Final = "ErrImagePull"
PULL_BACKOFF: Final = "ImagePullBackOff"
NEVER_PULL: Final = "ErrImageNeverPull"
BAD_IMAGE: Final = "InvalidImageName"
BAD_CONFIG: Final = "CreateContainerConfigError"

replace = msgspec.structs.replace


class Starter:
    def __init__(
        self, pod: PodView, around: Surroundings, new_id: Callable[[], str], now_s: float, timing: Timing
    ) -> None:
        self.notes: list[Note] = []
        self.missing: set[Ref] = set()
        self.images: set[str] = set()
        """Those that were pulled."""
        self._pod = pod
        self._around = around
        self._new_id = new_id
        self._now_s = now_s
        self._timing = timing

    def tried(self, container: Container, run: ContainerRun, behavior: Behavior) -> ContainerRun:
        """Start what waits, if it is time."""
        same_image = run.image == container.image
        if run.due_s is not None and self._now_s < run.due_s and same_image:
            return run
        if run.waiting == CRASH_LOOP:
            run = restarted(run, self._now_s, self._timing)
        elif run.waiting == PULL_FAILED and same_image:
            return self._pull_backed_off(container, run)
        run = run if same_image else replace(run, image=container.image, pulls=0)
        image = parsed(container.image)
        if isinstance(image, BadName):
            self._told(container, run, BAD_IMAGE, image.message, "InspectFailed")
            return self._waiting(container, run, BAD_IMAGE, image.message)
        if not behavior.pulls:
            return self._unpulled(container, run, image)
        return self._created(container, run, image)

    def backoff_s(self, run: ContainerRun, finished_s: float) -> float:
        return 0.0 if forgiven(run, finished_s, self._timing) else run.backoff_s

    def backed_off(self, container: Container, run: ContainerRun, due_s: float) -> ContainerRun:
        wait = printed_duration(int(run.backoff_s))
        message = f"back-off {wait} restarting failed container={container.name} pod={self._pod.full_name}"
        note = f"Back-off restarting failed container {container.name} in pod {self._pod.full_name}"
        self._tell(container, "BackOff", note, warning=True)
        return replace(
            run, waiting=CRASH_LOOP, message=message, due_s=due_s, ended=None, last=run.ended, earlier=run.last
        )

    def _created(self, container: Container, run: ContainerRun, image: Image) -> ContainerRun:
        fault = environment_fault(self._pod, container, self._around)
        if fault is not None:
            self.missing.add(fault.ref)
            if (run.waiting, run.message) != (BAD_CONFIG, fault.message):
                self._pulled(container, image)
                self._tell(container, "Failed", f"Error: {fault.message}", warning=True)
            return self._waiting(container, run, BAD_CONFIG, fault.message)
        self._pulled(container, image)
        self._tell(container, "Created", "Container created")
        self._tell(container, "Started", "Container started")
        return replace(
            run,
            waiting="",
            message="",
            due_s=None,
            pulls=0,
            started_s=self._now_s,
            earlier=None,
            id=container_id(self._new_id()),
            restarts=run.restarts + (1 if run.id else 0),
        )

    def _pulled(self, container: Container, image: Image) -> None:
        name = quoted(container.image)
        present = self._around.has_image(image.reference)
        self.images.add(image.reference)
        if present and container.spec.get("imagePullPolicy") != "Always":
            note = f"Container image {name} already present on machine and can be accessed by the pod"
            self._tell(container, "Pulled", note)
            return
        self._tell(container, "Pulling", f"Pulling image {name}")
        note = f"Successfully pulled image {name} in 0s (0s including waiting). Image size: 0 bytes."
        self._tell(container, "Pulled", note)

    def _unpulled(self, container: Container, run: ContainerRun, image: Image) -> ContainerRun:
        if container.spec.get("imagePullPolicy") == "Never":
            message = f"Container image {quoted(container.image)} is not present with pull policy of Never"
            self._told(container, run, NEVER_PULL, message, NEVER_PULL)
            return self._waiting(container, run, NEVER_PULL, message)
        message = pull_failure(image)
        name = quoted(container.image)
        self._tell(container, "Pulling", f"Pulling image {name}")
        self._tell(container, "Failed", f"Failed to pull image {name}: {message}", warning=True)
        self._tell(container, "Failed", f"Error: {PULL_FAILED}", warning=True)
        failed = replace(run, pulls=run.pulls + 1, due_s=self._now_s + self._timing.sync_s)
        return self._waiting(container, failed, PULL_FAILED, message, due_s=failed.due_s)

    def _pull_backed_off(self, container: Container, run: ContainerRun) -> ContainerRun:
        name = quoted(container.image)
        self._tell(container, "BackOff", f"Back-off pulling image {name}")
        self._tell(container, "Failed", f"Error: {PULL_BACKOFF}", warning=True)
        wait_s = min(self._timing.backoff_s * 2 ** min(max(run.pulls - 1, 0), 16), self._timing.longest_backoff_s)
        due_s = (run.due_s or self._now_s) - self._timing.sync_s + wait_s
        message = f"Back-off pulling image {name}: {PULL_FAILED}: {run.message}"
        return self._waiting(container, run, PULL_BACKOFF, message, due_s=max(due_s, self._now_s))

    def _waiting(
        self, container: Container, run: ContainerRun, reason: str, message: str, *, due_s: float | None = None
    ) -> ContainerRun:
        return replace(run, waiting=reason, message=message, due_s=due_s, image=container.image)

    def _told(self, container: Container, run: ContainerRun, reason: str, message: str, event: str) -> None:
        if (run.waiting, run.message) != (reason, message):
            self._tell(container, event, message, warning=True)
            self._tell(container, "Failed", f"Error: {reason}", warning=True)

    def _tell(self, container: Container, reason: str, message: str, *, warning: bool = False) -> None:
        self.notes.append(Note(reason, message, warning, container.field))
