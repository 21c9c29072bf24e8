"""Which revision of its template a StatefulSet has, and which it is going to."""

from collections.abc import Iterable, Sequence

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.workloads.hashing import short_hash
from plumbline.apiserver.controllers.workloads.kinds import REVISION_LABEL
from plumbline.apiserver.controllers.workloads.podviews import Pod
from plumbline.apiserver.controllers.workloads.revisions import (
    created_or_there,
    number_of,
    renumbered,
    revision_object,
    same_content,
    template_patch,
)
from plumbline.apiserver.controllers.workloads.statefulsets.planning import Revisions
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

HASH_LABEL = "controller.kubernetes.io/hash"


async def revisions_of(cluster: Cluster, owner: Object, there: Sequence[Object]) -> Revisions:
    """*there* are its revisions in order; the one of its template is created if it is missing."""
    collisions = int(owner.status.get("collisionCount") or 0)
    number = number_of(there[-1]) + 1 if there else 1
    wanted = _wanted(owner, number, collisions)
    same = [each for each in there if same_content(each, wanted)]
    update: Object | None
    if same and same[-1] is there[-1]:
        update = there[-1]
    elif same:
        update = await renumbered(cluster, same[-1], number)
    else:
        while (update := await created_or_there(cluster, wanted)) is None:
            collisions += 1
            wanted = _wanted(owner, number, collisions)
    name = owner.status.get("currentRevision")
    current = next((each for each in there if each.name == name), update)
    return Revisions(current, update, collisions)


def plan_truncation(
    owner: Object, pods: Iterable[Pod], there: Sequence[Object], revisions: Revisions
) -> Sequence[Object]:
    """Revisions that nobody uses and that there are too many of, the oldest first."""
    used = {pod.labels.get(REVISION_LABEL) for pod in pods} | {revisions.current.name, revisions.update.name}
    unused = [each for each in there if each.name not in used]
    limit = owner.spec.get("revisionHistoryLimit")
    if limit is None or int(limit) < 0:
        return ()
    return unused[: max(len(unused) - int(limit), 0)]


def _wanted(owner: Object, number: int, collisions: int) -> JsonObject:
    return revision_object(owner, short_hash(template_patch(owner), collisions), number, HASH_LABEL)
