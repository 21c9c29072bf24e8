"""Which pods of a DaemonSet to create and to delete, and what its status says."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.conditions import told
from plumbline.apiserver.controllers.workloads.daemonsets.placing import (
    GENERATION_LABEL,
    Verdict,
    target_node,
    template_generation,
    verdict,
)
from plumbline.apiserver.controllers.workloads.kinds import REVISION_LABEL
from plumbline.apiserver.controllers.workloads.podviews import FAILED, SUCCEEDED, Pod
from plumbline.base.json import JsonObject
from plumbline.kube import intorstring
from plumbline.kube.object import Object

BURST: Final = 250
_ALWAYS: Final = frozenset(
    {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady", "collisionCount"}
)


class Daemons(NamedTuple):
    """A DaemonSet, the nodes, and the pods that it has on each or has tied to each."""

    owner: Object
    revision_hash: str
    verdicts: dict[str, Verdict]
    pods: dict[str, list[Pod]]
    now: datetime

    @property
    def min_ready_s(self) -> int:
        return int(self.owner.spec.get("minReadySeconds") or 0)

    @property
    def wanted(self) -> int:
        return sum(each.starts for each in self.verdicts.values())

    def available(self, pod: Pod | None) -> bool:
        return pod is not None and pod.available(self.min_ready_s, self.now)

    def updated(self, pod: Pod) -> bool:
        generation = template_generation(self.owner)
        same = generation is not None and pod.labels.get(GENERATION_LABEL) == generation
        return same or pod.labels.get(REVISION_LABEL) == self.revision_hash


class Told(NamedTuple):
    reason: str
    message: str
    warning: bool


class Plan(NamedTuple):
    create: Sequence[str] = ()
    """Nodes that get a pod."""
    delete: Sequence[Pod] = ()
    events: Sequence[Told] = ()
    again_s: float | None = None


Patience = Callable[[str], float]
"""For a node: how long a failed pod there has to be waited for before it is replaced."""


def daemons_of(
    owner: Object, revision_hash: str, nodes: Iterable[Object], pods: Iterable[Pod], now: datetime
) -> Daemons:
    verdicts = {node.name: verdict(owner, node) for node in nodes}
    by_node: dict[str, list[Pod]] = {}
    for pod in pods:
        node = target_node(pod)
        if node and not (pod.terminal and pod.deleted):
            by_node.setdefault(node, []).append(pod)
    ordered = {node: sorted(by_node[node], key=_seniority) for node in sorted(by_node)}
    return Daemons(owner, revision_hash, verdicts, ordered, now)


def plan_presence(at: Daemons, patience: Patience) -> Plan:
    """One pod on each node that should have one, none elsewhere, nothing that has ended."""
    plans = [_on_node(at, node, patience) for node in at.verdicts]
    lost = [pod for node, pods in at.pods.items() if node not in at.verdicts for pod in pods if not pod.node]
    return Plan(
        create=[node for plan in plans for node in plan.create][:BURST],
        delete=[*(pod for plan in plans for pod in plan.delete), *lost][:BURST],
        events=[event for plan in plans for event in plan.events],
        again_s=min((plan.again_s for plan in plans if plan.again_s), default=None),
    )


def _on_node(at: Daemons, node: str, patience: Patience) -> Plan:
    starts, stays = at.verdicts[node]
    there = at.pods.get(node)
    if there is None:
        return Plan(create=[node] if starts else [])
    present = [pod for pod in there if not pod.deleted]
    if not stays:
        return Plan(delete=present)
    running = [pod for pod in present if not pod.terminal]
    ended = _ended(at, node, present, patience)
    if not allows_surge(at.owner):
        return ended._replace(delete=[*ended.delete, *running[1:]])
    if not running and starts:
        return ended._replace(create=[node])
    return ended._replace(delete=[*ended.delete, *_surplus(at, running)])


def _ended(at: Daemons, node: str, present: Iterable[Pod], patience: Patience) -> Plan:
    delete, events, waits = [], [], []
    for pod in present:
        whose = f"daemon pod {at.owner.namespace}/{pod.name} on node {node}"
        if pod.phase == SUCCEEDED:
            events.append(Told("SucceededDaemonPod", f"Found succeeded {whose}, will try to delete it", warning=False))
            delete.append(pod)
        elif pod.phase == FAILED:
            wait_s = patience(node)
            if wait_s > 0:
                waits.append(wait_s)
                continue
            events.append(Told("FailedDaemonPod", f"Found failed {whose}, will try to kill it", warning=True))
            delete.append(pod)
    return Plan(delete=delete, events=events, again_s=min(waits, default=None))


def _surplus(at: Daemons, running: Sequence[Pod]) -> list[Pod]:
    """While surging, one old and one new pod may share a node, until the new one is available."""
    new = [pod for pod in running if pod.labels.get(REVISION_LABEL) == at.revision_hash]
    old = [pod for pod in running if pod not in new]
    surplus = [*new[1:], *old[1:]]
    if new and old and (not old[0].ready or at.available(new[0])):
        surplus.append(old[0])
    return surplus


def plan_update(at: Daemons) -> Plan:
    """Replaces pods of an older template, as many at a time as may be away or on top."""
    strategy = at.owner.spec.get("updateStrategy") or {}
    if strategy.get("type") == "OnDelete":
        return Plan()
    surge = _limit(at.owner, "maxSurge", at.wanted)
    unavailable = _limit(at.owner, "maxUnavailable", at.wanted)
    if at.wanted and not surge and not unavailable:
        unavailable = 1
    return _plan_surge(at, surge) if surge else _plan_replacement(at, unavailable)


def _plan_replacement(at: Daemons, limit: int) -> Plan:
    away, broken, candidates = 0, [], []
    for node in _concerned(at):
        new, old, clear = _pair(at, node)
        if not clear or (new is None) == (old is None):
            away += 1
        elif old is None:
            away += not at.available(new)
        elif not at.available(old):
            broken.append(old)
            away += 1
        else:
            candidates.append(old)
    return Plan(delete=[*broken, *candidates[: max(limit - away, 0)]])


def _plan_surge(at: Daemons, limit: int) -> Plan:
    surging, available = 0, 0
    replaced: list[Pod] = []
    misplaced: list[Pod] = []
    urgent: list[str] = []
    candidates: list[str] = []
    for node in _concerned(at):
        new, old, clear = _pair(at, node)
        if not clear:
            surging += 1
            continue
        available += at.available(old or new)
        if old is None:
            continue
        if new is not None:
            if at.available(new):
                replaced.append(old)
            else:
                surging += 1
        elif not at.verdicts.get(node, Verdict(starts=False, stays=False)).starts:
            (misplaced if at.available(old) else replaced).append(old)
        else:
            (candidates if at.available(old) else urgent).append(node)
    spare = max(available - at.wanted, 0)
    return Plan(create=[*urgent, *candidates[: max(limit - surging, 0)]], delete=[*replaced, *misplaced[:spare]])


def _concerned(at: Daemons) -> list[str]:
    return sorted({*at.pods, *(node for node, each in at.verdicts.items() if each.starts)})


def _pair(at: Daemons, node: str) -> tuple[Pod | None, Pod | None, bool]:
    """The new pod and the old one on *node*; False where there are several of one sort."""
    present = [pod for pod in at.pods.get(node, ()) if not pod.deleted]
    new = [pod for pod in present if at.updated(pod)]
    old = [pod for pod in present if not at.updated(pod)]
    if len(new) > 1 or len(old) > 1:
        return None, None, False
    return next(iter(new), None), next(iter(old), None), True


def allows_surge(owner: Object) -> bool:
    return _limit(owner, "maxSurge", 1) > 0


def _limit(owner: Object, field: str, wanted: int) -> int:
    strategy = owner.spec.get("updateStrategy") or {}
    value = (strategy.get("rollingUpdate") or {}).get(field)
    if strategy.get("type") == "OnDelete" or value is None:
        return 0
    return intorstring.scaled(intorstring.from_json(value), wanted, round_up=True)


def plan_status(at: Daemons) -> JsonObject:
    wanted = [node for node, each in at.verdicts.items() if each.starts]
    first = [at.pods[node][0] for node in wanted if at.pods.get(node)]
    available = sum(map(at.available, first))
    strays = (node for node, each in at.verdicts.items() if not each.starts and at.pods.get(node))
    counts = {
        "observedGeneration": at.owner.generation,
        "desiredNumberScheduled": len(wanted),
        "currentNumberScheduled": len(first),
        "numberMisscheduled": sum(1 for _ in strays),
        "numberReady": sum(pod.ready for pod in first),
        "updatedNumberScheduled": sum(map(at.updated, first)),
        "numberAvailable": available,
        "numberUnavailable": len(wanted) - available,
    }
    return told({**at.owner.status, **counts}, always=_ALWAYS)


def _seniority(pod: Pod) -> tuple[bool, str, str]:
    return not pod.node, pod.metadata.creation_timestamp or "", pod.name
