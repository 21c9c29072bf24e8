"""Whether an application is synced without anybody asking. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

import msgspec

from plumbline.delivery.facts import sources_of
from plumbline.delivery.operations.retries import Healing, healing_in_s
from plumbline.delivery.valuesfrom.references import VALUES_FROM
from plumbline.kinds.application import (
    ApplicationSpec,
    NameValue,
    Operation,
    OperationInitiator,
    OperationState,
    ResourceStatus,
    RetryStrategy,
    RevisionHistory,
    SyncOperation,
    SyncOperationResource,
)

_RETRY: Final = RetryStrategy(limit=5)


class Begin(NamedTuple):
    """Sync now."""

    operation: Operation


class Later(NamedTuple):
    """Drift was corrected a moment ago and is back: not yet again."""

    in_s: float


class Refuse(NamedTuple):
    """It would be wrong to, and people should know."""

    message: str


class Leave(NamedTuple):
    """Nothing to do; *why* is for those who ask."""

    why: str


Decision: TypeAlias = Begin | Later | Refuse | Leave


class Compared(NamedTuple):
    """What a comparison says, as far as it matters here."""

    status: str
    revisions: tuple[str, ...]
    """One for each source."""
    resources: Sequence[ResourceStatus]
    changed: bool = True
    """Whether the revision brings anything that differs from the one that was synced last."""
    values: str = ""
    """The version of values from outside, if there are any."""


def decided(
    spec: ApplicationSpec, last: OperationState | None, compared: Compared, healing: Healing, now: datetime
) -> Decision:
    """Whether to begin a sync. Ask only where none runs, and where the application is not being deleted."""
    automated = spec.sync_policy.automated if spec.sync_policy is not None else None
    if automated is None or automated.enabled is False:
        return Leave("it is synced by hand")
    if compared.status != "OutOfSync":
        return Leave(f"it is {compared.status}")
    if not automated.prune and all(each.status == "Synced" or each.requires_pruning for each in compared.resources):
        return Leave("only what would have to be deleted differs, and that is not done automatically")
    if automated.prune and not automated.allow_empty and all(each.requires_pruning for each in compared.resources):
        return Refuse(f"Skipping sync attempt to {_listed(compared.revisions)}: auto-sync will wipe out all resources")
    if last is None or not _was_attempted(spec, last, compared):
        return Begin(whole(spec, compared))
    return _again(spec, last, compared, healing, now)


def _again(
    spec: ApplicationSpec, last: OperationState, compared: Compared, healing: Healing, now: datetime
) -> Decision:
    """The same revision was synced before, and yet it differs."""
    if last.phase != "Succeeded":
        attempted = _listed(_revisions(last)) if last.sync_result is not None else "[]"
        return Refuse(f"Failed last sync attempt to {attempted}: {last.message}")
    if not _heals(spec):
        return Leave("it was synced to that revision before, and does not heal itself")
    attempts = last.operation.sync.auto_heal_attempts_count if last.operation.sync is not None else 0
    in_s = healing_in_s(last, attempts, healing, now)
    if in_s > 0:
        return Later(in_s)
    drifted = [each for each in compared.resources if each.status != "Synced"]
    chosen = tuple(
        SyncOperationResource(group=each.group, kind=each.kind, name=each.name, namespace=each.namespace)
        for each in drifted
    )
    return Begin(_operation(spec, compared, attempts + 1, chosen))


def unaccounted(
    spec: ApplicationSpec, last: OperationState | None, history: Sequence[RevisionHistory], compared: Compared
) -> bool:
    """Whether all is as Git asks without a record that says which sync made it so, where syncs begin by themselves."""
    automated = spec.sync_policy.automated if spec.sync_policy is not None else None
    if automated is None or automated.enabled is False or compared.status != "Synced" or not compared.resources:
        return False
    synced = [_revisions(last)] if last is not None else []
    if history:
        synced.append(history[-1].revisions or (history[-1].revision,))
    return compared.revisions not in synced


def whole(spec: ApplicationSpec, compared: Compared) -> Operation:
    """The operation that brings everything, as it begins by itself."""
    return _operation(spec, compared, 0, ())


def noting(operation: Operation, values: str) -> Operation:
    """*operation* with the version of the values that it begins with: that is how a later one is known to be another."""
    others = tuple(each for each in operation.info if each.name != VALUES_FROM)
    said = (NameValue(name=VALUES_FROM, value=values),) if values else ()
    return msgspec.structs.replace(operation, info=(*others, *said)) if said or others != operation.info else operation


def values_noted(operation: Operation) -> str:
    return next((each.value for each in operation.info if each.name == VALUES_FROM), "")


def _heals(spec: ApplicationSpec) -> bool:
    policy = spec.sync_policy
    return bool(policy is not None and policy.automated is not None and policy.automated.self_heal)


def _was_attempted(spec: ApplicationSpec, last: OperationState, compared: Compared) -> bool:
    result = last.sync_result
    if values_noted(last.operation) != compared.values:
        return False
    if result is None:
        return last.phase in {"Succeeded", "Failed", "Error"}
    if compared.changed and _revisions(last) != compared.revisions:
        return False
    return (result.sources or ((result.source,) if result.source is not None else ())) == sources_of(spec)


def _revisions(state: OperationState) -> tuple[str, ...]:
    result = state.sync_result
    return () if result is None else result.revisions or (result.revision,)


def _operation(
    spec: ApplicationSpec, compared: Compared, healed: int, resources: tuple[SyncOperationResource, ...]
) -> Operation:
    policy = spec.sync_policy
    several = bool(spec.sources)
    sync = SyncOperation(
        revision="" if several else compared.revisions[0],
        revisions=compared.revisions if several else (),
        source=None if several else spec.source,
        sources=spec.sources,
        prune=bool(policy is not None and policy.automated is not None and policy.automated.prune),
        sync_options=policy.sync_options if policy is not None else (),
        resources=resources,
        auto_heal_attempts_count=healed,
    )
    retry = policy.retry if policy is not None and policy.retry is not None else _RETRY
    return Operation(sync=sync, initiated_by=OperationInitiator(automated=True), retry=retry)


def _listed(revisions: Sequence[str]) -> str:
    """As Go prints a list."""
    return f"[{' '.join(revisions)}]"
