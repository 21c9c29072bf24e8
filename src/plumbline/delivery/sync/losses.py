"""What a sync would take away for good, for those who have to agree to it."""

from collections.abc import Iterable

from plumbline.delivery.sync.tasks import Task
from plumbline.gate.contents import CONTAINERS, held
from plumbline.gate.intents import Destruction, Loss
from plumbline.kube.names import GroupKind, Ref


def losses(
    tasks: Iterable[Task], *, requested: bool = False, named: frozenset[tuple[str, str]] = frozenset()
) -> Destruction:
    """What the prunes of a plan would take away, out of how many objects that are there.

    *named* are kinds and names of what somebody took out of a manifest.
    """
    there = [task for task in tasks if task.live is not None and not task.hook and not task.foreign]
    doomed = [task for task in there if task.pruning in {"allowed", "confirm"}]
    return Destruction("prune", tuple(_loss(task, named) for task in doomed), len(there), requested)


def replacement(ref: Ref) -> Destruction:
    """What goes when an object is deleted and made again. Git asks for it by name, unless more goes than Git can make."""
    what = held(ref)
    return Destruction("replacement", (Loss(str(ref), what, stateful=bool(what)),), requested=not what)


def _loss(task: Task, named: frozenset[tuple[str, str]]) -> Loss:
    what = held(task.ref)
    if what and task.ref.group == "argoproj.io" and task.live is not None and not task.live.meta.finalizers:
        what = ""  # without a finalizer it goes alone
    alone = GroupKind(task.ref.group, task.ref.kind) not in CONTAINERS
    return Loss(str(task.ref), what, stateful=bool(what), named=alone and (task.ref.kind, task.ref.name) in named)
