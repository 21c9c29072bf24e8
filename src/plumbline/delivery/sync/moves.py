"""What a sync does next: something, waiting, or no more. Values only; whoever carries them out has the hands."""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from plumbline.delivery.sync.results import OperationPhase
from plumbline.delivery.sync.tasks import Task
from plumbline.delivery.values import Observed
from plumbline.kernel.cache import Cached
from plumbline.kinds.application import ResourceResult
from plumbline.kube.names import Ref

Reason: TypeAlias = Literal["health", "hook", "deletion", "confirmation"]

TERMINATED: Final = "Operation terminated"
TERMINATION_FAILED: Final = "Operation termination had errors"
"""The message, with phase Error, where an End that terminates could not be carried out."""


class View(msgspec.Struct, frozen=True):
    """The cluster as it looks now. What the sync itself has written must be seen in it, or the sync judges old objects."""

    observed: Mapping[Ref, Observed]
    """Objects that are tracked as the application's, hooks among them."""
    in_sync: Callable[[Ref], bool]
    """Whether a live object is as Git wants it, so that applying it would change nothing."""
    gone: Container[Ref] = frozenset()
    """Objects that are not there, by a direct look: not being in `observed` may mean no more than being new."""
    overdue: Container[Ref] = frozenset()
    """Objects that have been waited for as long as they may be."""


class Removal(NamedTuple):
    """Something to take away: the whole object, or its hook finalizer. Only with this uid, or it is another object."""

    task: Task
    live: Cached


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """Do this, in this order; record each outcome; let the pause pass; ask again.

    Within one stage everything may go at once. A failed strip or prune keeps what comes after it from being done; a
    failed apply does not.
    """

    results: tuple[ResourceResult, ...]
    message: str = "one or more tasks are running"
    strips: tuple[Removal, ...] = ()
    """Hook finalizers to take off."""
    prunes: tuple[Removal, ...] = ()
    deletions: tuple[Removal, ...] = ()
    """Hooks that have to be gone before they are created again. Nothing is applied in the same move."""
    applies: tuple[tuple[Task, ...], ...] = ()
    """One batch after the other."""
    pause_s: float = 0.0


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing to do until something changes."""

    results: tuple[ResourceResult, ...]
    message: str
    reason: Reason
    waiting: tuple[Task, ...]
    unseen: tuple[Task, ...] = ()
    """Of these nobody has seen the object: look directly, and put what is not there into `View.gone`."""


class End(msgspec.Struct, frozen=True, kw_only=True):
    """The sync is over. Carry out strips, then deletions, and write the phase down only after that.

    A hook finalizer that is left behind blocks the deletion of its namespace.
    """

    results: tuple[ResourceResult, ...]
    phase: OperationPhase
    message: str
    strips: tuple[Removal, ...] = ()
    deletions: tuple[Removal, ...] = ()
    retried: bool = True
    """Whether the retries of the operation apply, if it failed."""


Move: TypeAlias = Run | Wait | End


def waiting_for(tasks: Sequence[Task], reason: Reason) -> str:
    """What people read while a sync waits, and what their scripts look for: hooks are named first."""
    hooks = [task for task in tasks if task.hook]
    plural = "hooks" if len(hooks) == len(tasks) else "resources"
    named, more = (hooks or tasks)[0], len(tasks) - 1
    if reason == "deletion":
        what = "deletion of hook" if hooks else "deletion of"
    elif reason == "confirmation":
        confirmed = [task for task in tasks if task.pruning == "confirm"]
        what, named, more = "pruning confirmation of", confirmed[0], len(confirmed) - 1
    else:
        what = "completion of hook" if hooks else "healthy state of"
    told = f"waiting for {what} {called(named)}"
    return f"{told} and {more} more {plural}" if more > 0 else told


def waiting(
    results: tuple[ResourceResult, ...], tasks: Sequence[Task], reason: Reason, unseen: Sequence[Task] = ()
) -> Wait:
    return Wait(
        results=results,
        message=waiting_for(tasks, reason),
        reason=reason,
        waiting=tuple(tasks),
        unseen=tuple(unseen),
    )


def called(task: Task) -> str:
    """As messages name an object; the group is empty for core kinds, and its slash stays."""
    return f"{task.ref.group}/{task.ref.kind}/{task.ref.name}"


def kubectl_name(task: Task) -> str:
    """As kubectl prints an object: `deployment.apps/web`."""
    kind = task.ref.kind.lower()
    return f"{kind}.{task.ref.group}/{task.ref.name}" if task.ref.group else f"{kind}/{task.ref.name}"
