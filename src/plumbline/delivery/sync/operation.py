"""One sync, as it was asked for."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.delivery.sync.options import NONE, Options, parsed
from plumbline.kinds.application import (
    ManagedNamespaceMetadata,
    OperationState,
    SyncOperation,
    SyncOperationResource,
    SyncPolicy,
)
from plumbline.kinds.timestamp import Time

APPROVED: Final = "argocd.argoproj.io/deletion-approved"
"""On an Application: when a person agreed to what waits for a confirmation."""
DELAY_S: Final = 2.0
Propagation: TypeAlias = Literal["Foreground", "Background", "Orphan"]

_PROPAGATION: Final[dict[str, Propagation]] = {"background": "Background", "orphan": "Orphan"}


class Sync(msgspec.Struct, frozen=True, kw_only=True):
    started_at: str
    """When the operation began. No two operations of an application may begin in the same second: hooks are told apart by it."""
    attempt: int = 0
    """How often it was tried before."""
    revision: str = ""
    namespace: str = ""
    """The destination's."""
    prune: bool = False
    dry: bool = False
    force: bool = False
    hooks: bool = True
    """A sync of chosen resources, or by the strategy `apply`, has none."""
    terminating: bool = False
    resources: tuple[SyncOperationResource, ...] = ()
    """What to sync; everything if empty."""
    options: Options = NONE
    managed_namespace: ManagedNamespaceMetadata | None = None
    approved: bool = False
    """A person agreed, since it began, to what waits for a confirmation."""
    delay_s: float = DELAY_S
    """The pause between two waves."""

    @property
    def propagation(self) -> Propagation:
        return _PROPAGATION.get(self.options.get("PrunePropagationPolicy", ""), "Foreground")

    def said(self, option: str) -> bool:
        return self.options.get(option) == "true"

    def mark(self, phase: str) -> str:
        """Equal for one phase of one attempt of one operation, and for nothing else."""
        attempt = f"/{self.attempt}" if self.attempt else ""
        return f"{self.started_at}/{phase}{attempt}"


def sync_of(
    state: OperationState, namespace: str, policy: SyncPolicy | None, annotations: Mapping[str, str], delay_s: float
) -> Sync:
    """What *state* is about, for an application with that destination, policy and annotations."""
    asked = state.operation.sync or SyncOperation()
    strategy = asked.sync_strategy
    apply, hook = (strategy.apply, strategy.hook) if strategy is not None else (None, None)
    way = apply if apply is not None else hook
    result = state.sync_result
    return Sync(
        started_at=state.started_at,
        attempt=state.retry_count,
        revision=result.revision if result is not None else asked.revision,
        namespace=namespace,
        prune=asked.prune,
        dry=asked.dry_run,
        force=way is not None and way.force,
        hooks=apply is None and not asked.resources,
        terminating=state.phase == "Terminating",
        resources=asked.resources,
        options=parsed(asked.sync_options),
        managed_namespace=policy.managed_namespace_metadata if policy is not None else None,
        approved=approved(annotations, state.started_at),
        delay_s=delay_s,
    )


def approved(annotations: Mapping[str, str], since: str) -> bool:
    """Whether a person has agreed since then. What cannot be read is no agreement."""
    text = annotations.get(APPROVED, "")
    try:
        return Time.read(text) >= Time.read(since)
    except ValueError:
        return False
