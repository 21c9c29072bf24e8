"""What an Application is asked to do, once or by policy."""

from msgspec import field

from plumbline.kinds.application.sources import ApplicationSource, NameValue
from plumbline.kinds.fields import Fields, Int64


class Backoff(Fields):
    """How long to wait between attempts."""

    duration: str = ""
    """The first wait, such as 5s; a number alone means seconds."""
    factor: Int64 | None = None
    """By how much each wait is longer than the one before."""
    max_duration: str = ""
    """The longest wait."""


class RetryStrategy(Fields):
    """What happens after a sync that failed."""

    limit: Int64 = 0
    """How often it is tried again; below zero without end."""
    backoff: Backoff | None = None
    refresh: bool = False
    """Whether a newer revision is used when it is tried again."""


class SyncStrategyApply(Fields):
    force: bool = False
    """Whether objects that cannot be changed are deleted and made again."""


class SyncStrategyHook(Fields):
    force: bool = False
    """Whether objects that cannot be changed are deleted and made again."""


class SyncStrategy(Fields):
    """How a sync is done: with hooks, which is the rule, or without."""

    apply: SyncStrategyApply | None = None
    hook: SyncStrategyHook | None = None


class SyncOperationResource(Fields):
    """One object to sync, out of all."""

    group: str = ""
    kind: str
    name: str
    namespace: str = ""


class SyncOperation(Fields):
    """A sync that somebody asks for."""

    revision: str = ""
    """Revision to sync to, if not the one that is in the spec."""
    prune: bool = False
    """Whether objects that are no longer in Git are deleted."""
    dry_run: bool = False
    """Whether nothing is changed and only looked at what would be."""
    sync_strategy: SyncStrategy | None = None
    resources: tuple[SyncOperationResource, ...] = ()
    """Objects to sync; all if empty."""
    source: ApplicationSource | None = None
    """Source to sync from, if not the one that is in the spec: for a rollback."""
    manifests: tuple[str, ...] = ()
    """Manifests to sync instead of those in Git."""
    sync_options: tuple[str, ...] = ()
    sources: tuple[ApplicationSource, ...] = ()
    revisions: tuple[str, ...] = ()
    auto_heal_attempts_count: Int64 = 0
    """How often drift was corrected in a row."""


class OperationInitiator(Fields):
    """Who asked for it."""

    username: str = ""
    automated: bool = False


class Operation(Fields):
    """Something that an Application is asked to do once."""

    sync: SyncOperation | None = None
    initiated_by: OperationInitiator = field(default=OperationInitiator())
    info: tuple[NameValue, ...] = ()
    retry: RetryStrategy = RetryStrategy()
