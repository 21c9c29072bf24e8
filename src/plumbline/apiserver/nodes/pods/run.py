"""What runs of a pod, as values: the part of a container runtime's memory that statuses are made from."""

from collections.abc import Mapping

import msgspec


class Ended(msgspec.Struct, frozen=True):
    """A container that is over. One that never ran has neither times nor an id."""

    code: int
    reason: str
    started_s: float | None = None
    finished_s: float | None = None
    id: str = ""
    message: str = ""


class ContainerRun(msgspec.Struct, frozen=True):
    """Running since `started_s`, over with `ended`, or else waiting. The fields of the other states are empty."""

    waiting: str = ""
    """Why it waits; empty where it was not tried yet."""
    message: str = ""
    due_s: float | None = None
    """When what waits is to be tried again; None where only a change of something else can help."""
    started_s: float | None = None
    up: bool = False
    """Its startup probe has succeeded."""
    ready: bool = False
    complained: bool = False
    """Somebody was told that its readiness probe fails."""
    ended: Ended | None = None
    last: Ended | None = None
    earlier: Ended | None = None
    """The one before the last, of a container that waits to be started again."""
    id: str = ""
    image: str = ""
    """As the pod named it when this container was made, or was tried to be."""
    restarts: int = 0
    pulls: int = 0
    """How often pulling the image has failed in a row."""
    backoff_s: float = 0.0
    """What it has to wait after its next end, before it is started again."""
    restarted_s: float = 0.0
    """When the last restart was."""

    @property
    def running(self) -> bool:
        return self.started_s is not None


class PodRun(msgspec.Struct, frozen=True):
    containers: Mapping[str, ContainerRun] = {}
    mounted: bool = False
    ip: str = ""
    complaint: str = ""
    """The last thing that kept its volumes from being mounted."""
    stop_s: float | None = None
    """When its containers stop; None until somebody asked for it."""
    reason: str = ""
    message: str = ""
    """Why the whole pod failed, where that is not for its containers."""


WAITING = ContainerRun()


def container_id(number: str) -> str:
    return f"containerd://{number}"
