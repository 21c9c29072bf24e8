"""Whether tasks can be done at all: kinds that are served, objects that are permitted, annotations that can be read."""

from collections.abc import Collection
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.delivery.sync.bodies import Defined, defined
from plumbline.delivery.sync.deadlines import TIMEOUT, timeout_s
from plumbline.delivery.sync.operation import Sync
from plumbline.delivery.sync.options import annotated, chosen
from plumbline.delivery.sync.results import row
from plumbline.delivery.sync.tasks import Facts, Invalid, Kind, Task, is_crd
from plumbline.delivery.values import Desired
from plumbline.kinds.application import ResourceResult
from plumbline.kube.names import GroupKind, GroupVersionKind

NOT_VALID: Final = "one or more synchronization tasks are not valid"


def checked(tasks: Collection[Task], desired: Collection[Desired], sync: Sync, facts: Facts) -> list[Task] | Invalid:
    """*tasks* with what is known of their kinds and deadlines, or every reason why some of them cannot be done."""
    coming = _coming(desired)
    kinds: dict[GroupVersionKind, Kind] = {}
    sound: list[Task] = []
    wrong: list[ResourceResult] = []
    hooked = any(task.hook for task in tasks)  # they would run before the refusal of what comes after them
    for task in tasks:
        kind = kinds.get(task.gvk)
        if kind is None:
            kind = kinds[task.gvk] = _kind(task, coming, facts)
        reason = _unserved(task, kind, sync) or facts.refused(task.gvk, task.ref, kind.namespaced)
        reason = reason or (facts.foreign(task) if hooked and task.desired is not None else "")
        try:
            timed = _completed(task, kind)
        except InvalidInput as unreadable:
            reason, timed = reason or f"{TIMEOUT} of {task.ref}: {unreadable}", task
        if reason:
            wrong.append(row(task, "SyncFailed", "", reason))
        else:
            sound.append(timed)
    if wrong:
        return Invalid(f"{NOT_VALID}: {'; '.join(sorted({each.message for each in wrong}))}", tuple(wrong))
    return sound


def _coming(desired: Collection[Desired]) -> dict[GroupKind, Defined]:
    """Kinds that the sync itself defines."""
    made = (defined(each) for each in desired if is_crd(each.ref))
    return {each.group_kind: each for each in made if each is not None}


def _kind(task: Task, coming: dict[GroupKind, Defined], facts: Facts) -> Kind:
    kind = facts.kind(task.gvk)
    made = None if kind.served else coming.get(task.gvk.group_kind)
    return kind if made is None else Kind(made.namespaced, served=False, coming=True)


def _unserved(task: Task, kind: Kind, sync: Sync) -> str:
    if task.desired is not None and not task.ref.name:
        return f"{task.ref.kind} {task.desired.generate_name!r}: cannot use generate name with apply"
    if kind.served or kind.coming:
        return ""
    own = annotated(task.desired.annotations) if task.desired is not None else {}
    if chosen("SkipDryRunOnMissingResource", own, sync.options) == "true":
        return ""
    group, wanted = f"{task.gvk.group}/{task.gvk.kind}", f"{task.ref.namespace}/{task.ref.name}"
    if kind.installed:
        there = group if kind.installed_group is None else f"{kind.installed_group}/{task.gvk.kind}"
        return (
            f'The Kubernetes API could not find version "{task.gvk.version}" of {group} for requested resource {wanted}. '
            f'Version "{kind.installed}" of {there} is installed on the destination cluster.'
        )
    return (
        f"The Kubernetes API could not find {group} for requested resource {wanted}. "
        f'Make sure the "{task.gvk.kind}" CRD is installed on the destination cluster.'
    )


def _completed(task: Task, kind: Kind) -> Task:
    limit_s = timeout_s(task.desired.annotations) if task.desired is not None else None
    if kind.served and limit_s is None:
        return task
    return msgspec.structs.replace(task, unserved=not kind.served, timeout_s=limit_s)
