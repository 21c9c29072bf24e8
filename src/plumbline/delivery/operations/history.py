"""Past syncs that succeeded, oldest first. Pure."""

from typing import Final

from plumbline.kinds.application import OperationState, RevisionHistory

DEFAULT_LIMIT: Final = 10


def remembered(
    history: tuple[RevisionHistory, ...], state: OperationState, deployed_at: str, limit: int | None
) -> tuple[RevisionHistory, ...]:
    """*history* with a sync that has just succeeded, and no more of the older ones than *limit* allows."""
    result = state.sync_result
    if result is None:
        return history
    several = bool(result.sources)
    entry = RevisionHistory(
        id=history[-1].id + 1 if history else 0,
        deployed_at=deployed_at,
        deploy_started_at=state.started_at,
        revision="" if several else result.revision,
        source=None if several else result.source,
        revisions=result.revisions if several else (),
        sources=result.sources,
        initiated_by=state.operation.initiated_by,
    )
    kept = DEFAULT_LIMIT if limit is None else max(limit, 0)
    return (*history, entry)[-kept:] if kept else ()


def counts(state: OperationState) -> bool:
    """Whether a sync is one that can be gone back to: whole, real and successful."""
    sync = state.operation.sync
    return state.phase == "Succeeded" and sync is not None and not sync.dry_run and not sync.resources
