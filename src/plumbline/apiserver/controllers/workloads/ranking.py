"""Which pods go first where there are too many."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cmp_to_key
from typing import Final, TypeAlias

from plumbline.apiserver.controllers.workloads.podviews import PENDING, RUNNING, Pod

COST_ANNOTATION: Final = "controller.kubernetes.io/pod-deletion-cost"
_PHASES: Final = {PENDING: 0, "Unknown": 1, RUNNING: 2}
_INT32: Final = range(-(2**31), 2**31)
_cost: Final = re.compile(r"-[0-9]{1,10}|0|[1-9][0-9]{0,9}").fullmatch

_Standing: TypeAlias = tuple[bool, int, bool]


def by_expendability(pods: Iterable[Pod]) -> list[Pod]:
    """The one to be missed least first: unassigned, not running, not ready, ready for a short time, restarting, young."""
    return sorted(
        pods,
        key=lambda pod: (
            *_standing(pod),
            -_seconds(pod.ready_since) if pod.ready_since else -math.inf,
            *_restarts(pod),
            -_seconds(pod.created_at),
        ),
    )


def first_to_go(pods: Sequence[Pod], related: Iterable[Pod], count: int, now: datetime) -> list[Pod]:
    """*count* of *pods*, so that their *related* ones stay spread over nodes. Ages count by their order of magnitude."""
    if count >= len(pods):
        return list(pods)
    crowd = Counter(pod.node for pod in related if pod.active)

    def compare(left: Pod, right: Pod) -> int:
        plain = _difference(
            (*_standing(left), deletion_cost(left), -crowd[left.node]),
            (*_standing(right), deletion_cost(right), -crowd[right.node]),
        )
        return (
            plain
            or _by_age(left, right, (left.ready_since, right.ready_since), now)
            or _difference(_restarts(left), _restarts(right))
            or _by_age(left, right, (left.created_at, right.created_at), now)
        )

    return sorted(pods, key=cmp_to_key(compare))[:count]


def deletion_cost(pod: Pod) -> int:
    """What its owner says losing it costs; nothing, where that is no number."""
    text = pod.annotations.get(COST_ANNOTATION, "")
    cost = int(text) if _cost(text) else 0
    return cost if cost in _INT32 else 0


def _standing(pod: Pod) -> _Standing:
    return bool(pod.node), _PHASES.get(pod.phase, 0), pod.ready


def _by_age(left: Pod, right: Pod, moments: tuple[datetime | None, datetime | None], now: datetime) -> int:
    first, second = moments
    if first == second:
        return 0
    if first is None or second is None:
        return -1 if first is None else 1
    order = _magnitude(first, now) - _magnitude(second, now)
    return order or _difference((left.uid,), (right.uid,))


def _magnitude(since: datetime, now: datetime) -> int:
    age_s = (now - since).total_seconds()
    return int(math.log2(age_s * 1e9)) if age_s > 0 else -1


def _restarts(pod: Pod) -> tuple[int, int]:
    """Negative, as more restarts go first; of containers, then of sidecars."""
    sidecars = {each.name for each in pod.spec.init_containers or () if each.restart_policy == "Always"}
    regular = max((each.restart_count for each in pod.status.container_statuses or ()), default=0)
    beside = (each for each in pod.status.init_container_statuses or () if each.name in sidecars)
    return -regular, -max((each.restart_count for each in beside), default=0)


def _difference(left: tuple[object, ...], right: tuple[object, ...]) -> int:
    return 0 if left == right else -1 if left < right else 1


def _seconds(when: datetime | None) -> float:
    return when.timestamp() if when else math.inf
