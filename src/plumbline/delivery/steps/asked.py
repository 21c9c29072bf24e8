"""What a look can tell about syncs from the application alone: whether one runs or is asked for, and of what."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.delivery.facts import sources_of
from plumbline.kernel.reconciler import Run
from plumbline.kinds.application import (
    ApplicationSource,
    ApplicationSpec,
    ApplicationStatus,
    Operation,
    SyncOperation,
    SyncOperationResult,
)
from plumbline.kinds.read import read_part

_ENDED: Final = frozenset({"Succeeded", "Failed", "Error"})

Look = Run[ApplicationSpec, ApplicationStatus]


def syncs(run: Look) -> bool:
    """Whether a sync is under way."""
    state = run.read.status.operation_state
    return state is not None and state.phase not in _ENDED


def about(run: Look) -> tuple[tuple[ApplicationSource, ...], tuple[str, ...]]:
    """Which sources at which revisions the sync that runs, or the one that is asked for, is about; none where it names none."""
    state = run.read.status.operation_state
    said: SyncOperation | SyncOperationResult | None
    if state is not None and syncs(run):
        said = state.sync_result
    else:
        try:
            asked = read_part(run.object, "operation", Operation)
        except InvalidInput:  # it is told when it would be begun
            asked = None
        said = asked.sync if asked is not None else None
    if said is None:
        return (), ()
    sources = said.sources or ((said.source,) if said.source is not None else sources_of(run.spec))
    return sources, said.revisions or ((said.revision,) if said.revision else ())


def begins(run: Look) -> bool:
    """Whether a sync is asked for that nobody has taken up: who asks means what is in Git now."""
    return run.object.get("operation") is not None and not syncs(run)
