"""An apply as it tells of itself: what was begun, what was done, and what went wrong."""

from collections.abc import Callable
from typing import Any, Final, Literal

from plumbline.terraform.tool.diagnostics import Diagnostic, from_event
from plumbline.terraform.work import Step

_STAGES: Final[dict[str, Literal["started", "completed", "failed"]]] = {
    "apply_start": "started",
    "apply_complete": "completed",
    "apply_errored": "failed",
}
_MOST_TOLD: Final = 1000


class Following:
    def __init__(self, progress: Callable[[Step], None]) -> None:
        self.steps: list[Step] = []
        self.told: list[Diagnostic] = []
        self._open: dict[tuple[str, str], None] = {}
        self._progress = progress

    @property
    def unfinished(self) -> tuple[str, ...]:
        """Actions that were begun and did not end well, in the order in which they were begun."""
        return tuple(f"{action} {address}" for address, action in self._open)

    def hear(self, event: dict[str, Any]) -> None:
        said = from_event(event)
        if said is not None and len(self.told) < _MOST_TOLD:
            self.told.append(said)
        stage = _STAGES.get(str(event.get("type")))
        hook = event.get("hook")
        if stage is None or not isinstance(hook, dict):
            return
        step = _step(hook, stage)
        key = (step.address, step.action)
        if stage == "started":
            self._open[key] = None
        elif stage == "completed":
            self._open.pop(key, None)
        self.steps.append(step)
        self._progress(step)


def _step(hook: dict[str, Any], stage: Literal["started", "completed", "failed"]) -> Step:
    resource = hook.get("resource")
    address = resource.get("addr", "") if isinstance(resource, dict) else ""
    return Step(
        address=str(address),
        action=str(hook.get("action", "")),
        stage=stage,
        id_key=str(hook.get("id_key") or ""),
        id_value=str(hook.get("id_value") or ""),
    )
