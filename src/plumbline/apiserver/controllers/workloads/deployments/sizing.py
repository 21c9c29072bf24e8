"""How large each ReplicaSet should be: while rolling, while scaling, and when there is nothing left to do."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from plumbline.apiserver.controllers.workloads.deployments.reading import (
    DESIRED,
    MAXIMUM,
    Rollout,
    active,
    by_age,
    count,
    history_limit,
    max_surge,
    max_unavailable,
    number,
    revision_of,
    rolling,
    size_annotation,
    total,
    wanted_of,
    wanted_total,
)
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object


class Scale(NamedTuple):
    """One set to be given another size; at the same size, only its notes about the Deployment's."""

    owned: Object
    size: int

    @property
    def changes_size(self) -> bool:
        return wanted_of(self.owned) != self.size


def resized(deployment: Object, owned: Object, size: int) -> JsonObject:
    """*owned* of *size*, with what the Deployment's size was then."""
    metadata = {**owned.metadata, "annotations": {**owned.annotations, **size_notes(deployment)}}
    return {**owned.raw, "metadata": metadata, "spec": {**owned.spec, "replicas": size}}


def size_notes(deployment: Object) -> dict[str, str]:
    wanted = wanted_of(deployment)
    return {DESIRED: str(wanted), MAXIMUM: str(wanted + max_surge(deployment))}


def is_scaled(rollout: Rollout) -> bool:
    """Whether the Deployment's size changed since its sets were last sized."""
    notes = (size_annotation(each, DESIRED) for each in active(rollout.sets))
    return any(note is not None and note != wanted_of(rollout.deployment) for note in notes)


def new_size(rollout: Rollout, sets: Sequence[Object], current: int) -> int:
    """How large the new set may be while the others are as they are."""
    deployment = rollout.deployment
    wanted = wanted_of(deployment)
    if not rolling(deployment):
        return wanted
    room = wanted + max_surge(deployment) - wanted_total(sets)
    return current if room <= 0 else current + min(room, wanted - current)


def plan_growth(rollout: Rollout) -> list[Scale]:
    """The new set up as far as the surge allows, or down to what is wanted."""
    new, wanted = rollout.new, wanted_of(rollout.deployment)
    if new is None or wanted_of(new) == wanted:
        return []
    size = wanted if wanted_of(new) > wanted else new_size(rollout, rollout.sets, wanted_of(new))
    return [Scale(new, size)] if size != wanted_of(new) else []


def plan_shrinking(rollout: Rollout) -> list[Scale]:
    """The old sets down as far as enough pods stay available; those that never became available first."""
    deployment, new = rollout.deployment, rollout.new
    old = active(rollout.old)
    if not old or new is None:
        return []
    least = wanted_of(deployment) - max_unavailable(deployment)
    missing = wanted_of(new) - count(new, "availableReplicas")
    allowed = wanted_total(rollout.sets) - least - missing
    if allowed <= 0:
        return []
    sizes = {each.uid: wanted_of(each) for each in old}
    scales = list(_unhealthy(old, sizes, allowed))
    spare = total((*old, new), "availableReplicas") - least
    return [*scales, *_healthy(old, sizes, spare)]


def _unhealthy(old: Iterable[Object], sizes: dict[str, int], allowed: int) -> Iterable[Scale]:
    for each in sorted(old, key=by_age):
        surplus = min(allowed, sizes[each.uid] - count(each, "availableReplicas"))
        if surplus > 0:
            sizes[each.uid] -= surplus
            allowed -= surplus
            yield Scale(each, sizes[each.uid])


def _healthy(old: Iterable[Object], sizes: dict[str, int], spare: int) -> Iterable[Scale]:
    for each in sorted(old, key=by_age):
        surplus = min(spare, sizes[each.uid])
        if surplus > 0:
            before = Object(_sized(each, sizes[each.uid]))
            sizes[each.uid] -= surplus
            spare -= surplus
            yield Scale(before, sizes[each.uid])


def _sized(owned: Object, size: int) -> JsonObject:
    return {**owned.raw, "spec": {**owned.spec, "replicas": size}}


def plan_scaling(rollout: Rollout) -> list[Scale]:
    """After the Deployment's size changed: the only active set takes all of it; several share it by their sizes."""
    deployment, wanted = rollout.deployment, wanted_of(rollout.deployment)
    only = _active_or_latest(rollout)
    if only is not None:
        return [] if wanted_of(only) == wanted else [Scale(only, wanted)]
    if _saturated(rollout):
        return [Scale(each, 0) for each in active(rollout.old)]
    return _shares(deployment, active(rollout.sets)) if rolling(deployment) else []


def _active_or_latest(rollout: Rollout) -> Object | None:
    running = active(rollout.sets)
    if len(running) > 1:
        return None
    if running:
        return running[0]
    return rollout.new or (max(rollout.old, key=by_age) if rollout.old else None)


def _saturated(rollout: Rollout) -> bool:
    new, wanted = rollout.new, wanted_of(rollout.deployment)
    if new is None or number(new.annotations.get(DESIRED, "")) != wanted:
        return False
    return wanted_of(new) == wanted and count(new, "availableReplicas") == wanted


def _shares(deployment: Object, sets: list[Object]) -> list[Scale]:
    wanted = wanted_of(deployment)
    allowed = wanted + max_surge(deployment) if wanted else 0
    to_add = allowed - wanted_total(sets)
    # Of several of one size, the newest grows first and the oldest shrinks first.
    ordered = sorted(sets, key=by_age, reverse=to_add > 0)
    ordered.sort(key=wanted_of, reverse=True)
    sizes, added = [], 0
    for each in ordered:
        share = _share(deployment, each, to_add, added) if to_add else 0
        sizes.append(wanted_of(each) + share)
        added += share
    if ordered and to_add:
        sizes[0] = max(sizes[0] + to_add - added, 0)
    return [
        Scale(each, size)
        for each, size in zip(ordered, sizes, strict=True)
        if size != wanted_of(each) or size_notes(deployment).items() - each.annotations.items()
    ]


def _share(deployment: Object, owned: Object, to_add: int, added: int) -> int:
    if to_add == added:
        return 0
    fraction, left = _fraction(deployment, owned), to_add - added
    return min(fraction, left) if to_add > 0 else max(fraction, left)


def _fraction(deployment: Object, owned: Object) -> int:
    """By how much *owned* changes so that its part of the whole stays the same."""
    wanted, size = wanted_of(deployment), wanted_of(owned)
    if wanted == 0:
        return -size
    before = size_annotation(owned, MAXIMUM) or count(deployment, "replicas")
    if before == 0:
        return 0
    exact = size * (wanted + max_surge(deployment)) / before
    return math.floor(exact + 0.5) - size


def plan_cleaning(rollout: Rollout) -> list[Object]:
    """Old sets that nobody needs to go back to."""
    limit = history_limit(rollout.deployment)
    if limit is None:
        return []
    there = [each for each in rollout.old if not each.deletion_timestamp]
    there.sort(key=lambda each: (revision_of(each), *by_age(each)))
    return [each for each in there[: max(len(there) - limit, 0)] if _is_spent(each)]


def _is_spent(owned: Object) -> bool:
    seen = count(owned, "observedGeneration") >= owned.generation
    return seen and wanted_of(owned) == 0 and count(owned, "replicas") == 0
