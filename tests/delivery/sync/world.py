"""A cluster small enough to keep in one's head, and somebody who carries out moves in it and may be killed anywhere."""

from collections import Counter
from dataclasses import dataclass, field

from plumbline.base.json import decode, encode
from plumbline.delivery.sync import End, Outcome, Run, View, Wait, plan, recorded, step
from plumbline.delivery.sync.hooks import FINALIZER
from plumbline.delivery.sync.tasks import Facts, Kind
from plumbline.delivery.values import Desired, Observed
from plumbline.kernel.cache import Relevance, cached
from plumbline.kube.health import Health, Status
from plumbline.kube.names import GroupVersionKind, Ref

STARTED = "2026-01-01T00:00:00Z"
GROUPS = {
    "Deployment": "apps",
    "Job": "batch",
    "Widget": "example.com",
    "CustomResourceDefinition": "apiextensions.k8s.io",
}
CLUSTER_WIDE = {"Namespace", "CustomResourceDefinition", "ClusterRole"}
MORTAL = {"Deployment", "Job", "Widget"}
"""Kinds that have health."""
SLOW = 2
"""Ticks until what was applied is well and what was deleted is gone."""

everything = Facts(kind=lambda gvk: Kind(namespaced=gvk.kind not in CLUSTER_WIDE))


def ref(kind, name, namespace="ns"):
    return Ref(GROUPS.get(kind, ""), kind, "" if kind in CLUSTER_WIDE else namespace, name)


def desired(kind, name, *, spec=None, generate="", namespace="ns", **annotations):
    """An object that Git asks for; `wave=1`, `hook="PreSync"` and `options="..."` are short for their annotations."""
    at = ref(kind, name, namespace)
    gvk = GroupVersionKind(at.group, "v1", kind)
    notes = {LONG.get(key, key): value for key, value in annotations.items()}
    metadata = {"name": name} if name else {"generateName": generate}
    metadata |= {"namespace": at.namespace} if at.namespace else {}
    body = encode(
        {
            "apiVersion": gvk.api_version,
            "kind": kind,
            "metadata": {**metadata, "annotations": notes},
            "spec": spec or {},
        }
    )
    return Desired(at, gvk, body, body, notes, generate_name=generate)


LONG = {
    "hook": "argocd.argoproj.io/hook",
    "wave": "argocd.argoproj.io/sync-wave",
    "options": "argocd.argoproj.io/sync-options",
    "policy": "argocd.argoproj.io/hook-delete-policy",
    "helm": "helm.sh/hook",
    "weight": "helm.sh/hook-weight",
    "helm_policy": "helm.sh/hook-delete-policy",
    "timeout": "plumbline.dev/sync-timeout",
    "keep": "helm.sh/resource-policy",
}


def observed(wanted, status=None, *, uid="", deleting=False, finalizers=(), message=""):
    """*wanted* as it is on a server."""
    body = decode(wanted.body)
    metadata = body["metadata"] | {"uid": uid or f"uid-{wanted.ref.name}", "finalizers": list(finalizers)}
    if deleting:
        metadata["deletionTimestamp"] = STARTED
    raw = encode(body | {"metadata": metadata})
    return Observed(cached(raw, Relevance()), Health(status, message) if status is not None else None)


def there(*pairs):
    return {wanted.ref: observed(wanted, status) for wanted, status in pairs}


class KilledError(Exception):
    """The process ends here: what it did is done, what it knew is lost."""


@dataclass
class Object:
    body: bytes
    uid: str
    well_at: int
    gone_at: int | None = None
    finalizers: tuple[str, ...] = ()


@dataclass
class World:
    """Everything that survives a kill: the cluster, and the results that were written down."""

    objects: dict[Ref, Object] = field(default_factory=dict)
    results: tuple = ()
    now: int = 0
    effects: list[tuple] = field(default_factory=list)
    failing: frozenset[str] = frozenset()
    """Names of objects that never become well."""
    refusing: frozenset[str] = frozenset()
    """Names of objects that cannot be applied."""
    kill_after: int | None = None
    uids: int = 0

    def put(self, wanted, *, body=None, finalizers=()):
        self.uids += 1
        self.objects[wanted.ref] = Object(body or wanted.body, f"uid-{self.uids}", self.now, finalizers=finalizers)

    def tick(self):
        self.now += 1
        for at, each in list(self.objects.items()):
            if each.gone_at is not None and each.gone_at <= self.now and FINALIZER not in each.finalizers:
                del self.objects[at]

    def health(self, at, each):
        if at.kind not in MORTAL:
            return None
        if at.name in self.failing:
            return Health(Status.DEGRADED, f"{at.name} is broken")
        return Health(Status.HEALTHY if each.well_at <= self.now else Status.PROGRESSING)

    def live(self):
        return {at: Observed(self._cached(each), self.health(at, each)) for at, each in self.objects.items()}

    @staticmethod
    def _cached(each):
        body = decode(each.body)
        metadata = body["metadata"] | {"uid": each.uid, "finalizers": list(each.finalizers)}
        if each.gone_at is not None:
            metadata["deletionTimestamp"] = STARTED
        return cached(encode(body | {"metadata": metadata}), Relevance())

    def view(self, wanted):
        bodies = {each.ref: each.body for each in wanted}
        return View(
            observed=self.live(),
            in_sync=lambda at: at in self.objects and self.objects[at].body == bodies.get(at),
            gone=frozenset(bodies) - self.objects.keys(),
        )

    def done(self, *effect):
        self.effects.append(effect)
        if self.kill_after is not None and len(self.effects) == self.kill_after:
            self.kill_after = None
            raise KilledError

    def apply(self, task):
        if task.ref.name in self.refusing:
            return Outcome.failed(task, f"{task.ref.name} is refused")
        if not task.manner.dry:
            before = self.objects.get(task.ref)
            self.uids += 1
            uid = before.uid if before is not None else f"uid-{self.uids}"
            finalizers = (FINALIZER,) if task.hook else ()
            self.objects[task.ref] = Object(task.desired.body, uid, self.now + SLOW, finalizers=finalizers)
        self.done("apply", task.ref, task.phase)
        return Outcome.applied(task, "applied")

    def delete(self, at, kind):
        each = self.objects[at]
        assert each.gone_at is None, "deleted twice"
        each.gone_at = self.now + SLOW
        self.done(kind, at)

    def strip(self, at):
        each = self.objects[at]
        each.finalizers = tuple(name for name in each.finalizers if name != FINALIZER)
        self.done("strip", at)

    def run(self, move: Run):
        """Carry out *move*, writing down what came of each stage when it is over."""
        self.results = move.results
        for removal in move.strips:
            self.strip(removal.task.ref)
        pruned = []
        for removal in move.prunes:
            self.delete(removal.task.ref, "prune")
            pruned.append(Outcome.pruned(removal.task))
        self.results = recorded(self.results, pruned)
        for removal in move.deletions:
            self.delete(removal.task.ref, "unhook")
        assert not (move.deletions and move.applies)
        for batch in move.applies:
            self.results = recorded(self.results, [self.apply(task) for task in batch])

    def end(self, move: End):
        for removal in move.strips:
            self.strip(removal.task.ref)
        for removal in move.deletions:
            self.delete(removal.task.ref, "unhook")
        self.results = move.results

    def counted(self):
        return Counter(self.effects)

    def state(self):
        """What is there in the end, apart from the accidents of identity and time."""
        return {at: (each.body, each.finalizers) for at, each in self.objects.items() if each.gone_at is None}


STEPS = 400


def synced(world, sync, wanted, *, watch=lambda move, tasks: None, replan=True):
    """Sync until it ends, beginning anew after a kill; returns the End and how many moves that took."""
    tasks = None
    for moves in range(1, STEPS):
        if tasks is None or replan:
            tasks = plan(sync, wanted, world.live(), everything)
        move = step(sync, tasks, world.results, world.view(_bodies(tasks)))
        watch(move, tasks)
        try:
            if isinstance(move, Run):
                world.run(move)
            elif isinstance(move, Wait):
                world.results = move.results
                world.tick()
            else:
                world.end(move)
                return move, moves
        except KilledError:
            tasks = None
    raise AssertionError(f"no end within {STEPS} moves")


def _bodies(tasks):
    return [task.desired for task in tasks if task.desired is not None]
