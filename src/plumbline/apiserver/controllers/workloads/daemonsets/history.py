"""The revisions of a DaemonSet's template."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.workloads.hashing import short_hash
from plumbline.apiserver.controllers.workloads.kinds import REVISION_LABEL
from plumbline.apiserver.controllers.workloads.podviews import Pod
from plumbline.apiserver.controllers.workloads.revisions import (
    created_or_there,
    in_order,
    number_of,
    relabelled,
    renumbered,
    revision_object,
    same_content,
    template_patch,
)
from plumbline.kube.object import Object


class History(NamedTuple):
    current: Object
    old: Sequence[Object]

    @property
    def revision_hash(self) -> str:
        return self.current.labels.get(REVISION_LABEL, "")


async def history_of(cluster: Cluster, owner: Object, there: Iterable[Object], pods: Iterable[Pod]) -> History | None:
    """With the revision of its template created if it is missing; None where another has its name."""
    ordered = in_order([await _labelled(cluster, each) for each in there])
    content = {"data": template_patch(owner)}
    same = [each for each in ordered if same_content(each, content)]
    old = [each for each in ordered if not same_content(each, content)]
    number = max(map(number_of, old), default=0) + 1
    if not same:
        letters = short_hash(owner.spec.get("template"), int(owner.status.get("collisionCount") or 0))
        created = await created_or_there(cluster, revision_object(owner, letters, number, REVISION_LABEL))
        return History(created, old) if created else None
    current = await _only(cluster, same, pods)
    return History(await renumbered(cluster, current, max(number, number_of(current))), old)


def plan_cleaning(owner: Object, old: Sequence[Object], pods: Iterable[Pod]) -> list[Object]:
    """Old revisions that no pod has, the oldest first, as many as there are too many."""
    limit = owner.spec.get("revisionHistoryLimit")
    surplus = len(old) - int(10 if limit is None else limit)
    used = {pod.labels.get(REVISION_LABEL) for pod in pods}
    spent = [each for each in in_order(old) if each.labels.get(REVISION_LABEL) not in used]
    return spent[: max(surplus, 0)]


async def _labelled(cluster: Cluster, revision: Object) -> Object:
    if REVISION_LABEL in revision.labels:
        return revision
    return Object(await cluster.edit(revision.raw, lambda live: relabelled(live, REVISION_LABEL, revision.name)))


async def _only(cluster: Cluster, same: Sequence[Object], pods: Iterable[Pod]) -> Object:
    """Of several with the same content the newest, whose hash all pods get."""
    kept = same[-1]
    if len(same) == 1:
        return kept
    letters = kept.labels.get(REVISION_LABEL, "")
    for pod in pods:
        if pod.labels.get(REVISION_LABEL) != letters:
            await cluster.edit(pod.reference, lambda live: relabelled(live, REVISION_LABEL, letters))
    for each in same[:-1]:
        await cluster.delete(each.raw)
    return kept
