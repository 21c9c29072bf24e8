"""The order of tasks: phase, wave, kind, name; and what has to come before that because others live in it."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final, TypeAlias

import msgspec

from plumbline.delivery.sync.bodies import defined
from plumbline.delivery.sync.options import annotated, chosen
from plumbline.delivery.sync.tasks import Phase, Task, is_crd, is_namespace
from plumbline.kube.names import GroupKind

_PHASES: Final[dict[Phase, int]] = {"PreSync": -1, "Sync": 0, "PostSync": 1, "SyncFail": 2}
_KINDS: Final = (
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
)
_RANKS: Final = {kind: at - len(_KINDS) for at, kind in enumerate(_KINDS)}

_Dependency: TypeAlias = Callable[[Task], str]
"""What a task provides or needs, as a name for it; empty for nothing."""


def rank(kind: str) -> int:
    """Below zero for kinds that others build on; all others are equal, whatever they are called."""
    return _RANKS.get(kind, 0)


def ordered(tasks: Iterable[Task], namespace: str) -> tuple[Task, ...]:
    """*tasks* in the order in which they are done; objects that name no namespace count as in *namespace*."""
    queue = sorted(tasks, key=_place)
    if any(task.desired is not None and is_namespace(task.ref) for task in queue):
        _lifted(queue, _namespace_made, lambda task: task.ref.namespace or namespace)
    if any(task.desired is not None and is_crd(task.ref) for task in queue):
        _lifted(queue, _kind_made, lambda task: str(GroupKind(task.ref.group, task.ref.kind)))
    return tuple(_joined(queue))


def mirrored(prunes: list[Task]) -> list[Task]:
    """What was made first goes last: the lowest wave changes places with the highest, and so on inwards."""
    waves = sorted({task.wave for task in prunes})
    mirror = dict(zip(waves, reversed(waves), strict=True))
    return [task if mirror[task.wave] == task.wave else _moved(task, mirror[task.wave]) for task in prunes]


def pruned_last(tasks: list[Task], said: str) -> list[Task]:
    """*tasks* with those prunes after everything else that are to be; *said* is the application's PruneLast."""
    app = {"PruneLast": said} if said else {}
    late = {
        task.key
        for task in tasks
        if task.live is not None
        and task.desired is None
        and chosen("PruneLast", annotated(task.live.meta.annotations), app) == "true"
    }
    if not late:
        return tasks
    last = max((task.wave for task in tasks if task.phase == "Sync"), default=0)
    return [_moved(task, max(last, 0) + 1) if task.key in late else task for task in tasks]


def _joined(queue: list[Task]) -> list[Task]:
    """What nobody waits for is no step of its own: it is done together with the task after it."""
    for at, (task, after) in enumerate(pairwise(queue)):
        if task.foreign and after.phase != "SyncFail":
            queue[at] = msgspec.structs.replace(task, alongside=after.step)
    return queue


def _place(task: Task) -> tuple[int, int, int, str, str, str, str]:
    group, kind, namespace, name = task.ref
    return _PHASES[task.phase], task.wave, rank(kind), name, kind, group, namespace


def _moved(task: Task, wave: int) -> Task:
    return msgspec.structs.replace(task, wave=wave)


def _namespace_made(task: Task) -> str:
    return task.ref.name if is_namespace(task.ref) else ""


def _kind_made(task: Task) -> str:
    if task.desired is None or not is_crd(task.ref):
        return ""
    made = defined(task.desired)
    return str(made.group_kind) if made is not None else ""


def _lifted(queue: list[Task], provides: _Dependency, needs: _Dependency) -> None:
    """Move what provides something before the first task that needs it, into that task's phase and wave."""
    first: dict[str, int] = {}
    for at, task in enumerate(queue):
        if task.desired is None:
            continue
        made = provides(task)
        if not made:
            first.setdefault(needs(task), at)
            continue
        before = first.get(made)
        if before is None:
            continue
        dependent = queue[before]
        del queue[at]
        queue.insert(before, msgspec.structs.replace(task, phase=dependent.phase, wave=dependent.wave))
        first = {need: place + (place >= before) for need, place in first.items()}
