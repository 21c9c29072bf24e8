"""From what Git asks for and what is there to a sync's tasks, or to why there can be no sync. Pure.

A plan may be made anew at every step: it depends on no step having been taken, so whoever was killed in between makes it
again and goes on from the recorded results.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from plumbline.delivery.sync import hooks
from plumbline.delivery.sync.bodies import hook_body, kind_of, namespace_body
from plumbline.delivery.sync.checking import checked
from plumbline.delivery.sync.operation import Sync
from plumbline.delivery.sync.options import NONE, Options, annotated, chosen
from plumbline.delivery.sync.ordering import mirrored, ordered, pruned_last
from plumbline.delivery.sync.tasks import Facts, Invalid, Manner, Phase, Pruning, Task, is_namespace
from plumbline.delivery.sync.waves import wave
from plumbline.delivery.values import Desired, Observed
from plumbline.kernel.cache import Cached
from plumbline.kinds.timestamp import Time
from plumbline.kube.names import Ref

_FORCED: Final[Options] = {"Force": "true"}
_FULL_REVISION: Final = 8
_SHORT_REVISION: Final = 7


def plan(
    sync: Sync, desired: Collection[Desired], live: Mapping[Ref, Observed], facts: Facts
) -> tuple[Task, ...] | Invalid:
    """What there is to do, in order. *live* holds the objects that are tracked as the application's, hooks among them."""
    if facts.shared and sync.said("FailOnSharedResource"):
        return Invalid(f"Shared resource found: {facts.shared}")
    selected = _Selection(sync)
    tasks, paired = _wanted(sync, desired, live, selected)
    home = _home(sync, desired)
    created = _namespace(sync, home, live, facts, selected)
    if created is not None:
        tasks.append(created)
    # What the application says of its namespace stands for it in Git: with it, everything in it would go.
    unwanted = live.keys() - paired - ({home} if sync.managed_namespace is not None else set())
    if unwanted:
        prunes = [_prune(sync, ref, live[ref].live) for ref in _left(unwanted, paired, live) if selected(ref)]
        tasks = pruned_last([*tasks, *mirrored(prunes)], sync.options.get("PruneLast", ""))
    sound = checked(tasks, desired, sync, facts)
    return sound if isinstance(sound, Invalid) else ordered(sound, sync.namespace)


class _Selection:
    """Which objects a sync is about; asked a thousand times for a thousand objects."""

    def __init__(self, sync: Sync) -> None:
        self._wanted: dict[tuple[str, str, str], set[str]] = {}
        for each in sync.resources:
            self._wanted.setdefault((each.group, each.kind, each.name), set()).add(each.namespace)

    def __call__(self, ref: Ref) -> bool:
        if not self._wanted:
            return True
        namespaces = self._wanted.get((ref.group, ref.kind, ref.name), ())
        return "" in namespaces or ref.namespace in namespaces


def _wanted(
    sync: Sync, desired: Collection[Desired], live: Mapping[Ref, Observed], selected: _Selection
) -> tuple[list[Task], set[Ref]]:
    """Tasks for what Git asks for, and which live objects that accounts for."""
    tasks: list[Task] = []
    paired: set[Ref] = set()
    plain = _manner(sync, NONE, NONE)
    for each in desired:
        role = hooks.role(each.annotations)
        if role == "hook" and sync.hooks:
            tasks.extend(_hook(sync, each))
        if role in {"hook", "ignored"}:
            continue
        ref = each.ref if each.ref in live else _elsewhere(each.ref, live)
        paired.add(ref)
        if role == "resource" and selected(ref):
            there = live.get(ref)
            tasks.append(_apply(sync, each, ref, there.live if there is not None else None, plain))
    return tasks, paired


def _elsewhere(ref: Ref, live: Mapping[Ref, Observed]) -> Ref:
    """An object of a kind that nobody knew may live outside of namespaces although one was filled in."""
    outside = ref._replace(namespace="")
    return outside if outside in live else ref


def _apply(sync: Sync, desired: Desired, ref: Ref, live: Cached | None, plain: Manner) -> Task:
    own = annotated(desired.annotations)
    theirs = annotated(live.meta.annotations) if live is not None else NONE
    manner = _manner(sync, own, theirs) if own or theirs else plain
    return Task("Sync", wave(desired.annotations), ref, desired.gvk, desired, live, manner=manner)


def _manner(sync: Sync, own: Options, live: Options) -> Manner:
    """A resource beats the application; what only the live object says counts as well."""
    app = sync.options
    side = chosen("ServerSideApply", own, app)
    return Manner(
        validate=chosen("Validate", own, app) != "false",
        replace=chosen("Replace", own, live, app) == "true",
        force=chosen("Force", own, live, _FORCED if sync.force else NONE) == "true",  # no application says so for all
        server_side=side == "true" if side in {"true", "false"} else None,
        migrate=app.get("ClientSideApplyMigration") != "false",
        dry=sync.dry,
    )


def _hook(sync: Sync, desired: Desired) -> Iterable[Task]:
    """One task for each phase that a hook runs in, each with an object of its own."""
    manner = _manner(sync, annotated(desired.annotations), NONE)
    for phase in hooks.phases(desired.annotations):
        mark = sync.mark(phase)
        body = hook_body(desired, desired.ref.name or _generated(sync, desired, phase), mark)
        yield Task(
            phase,
            wave(desired.annotations),
            body.ref,
            body.gvk,
            body,
            hook=True,
            policies=hooks.policies(desired.annotations),
            manner=manner,
            mark=mark,
        )


def _generated(sync: Sync, desired: Desired, phase: Phase) -> str:
    """A name that is new for each sync and the same at each of its steps."""
    revision = sync.revision[:_SHORT_REVISION] if len(sync.revision) >= _FULL_REVISION else sync.revision
    began = int(Time.read(sync.started_at).moment.timestamp())
    return desired.generate_name + f"{revision}-{phase}-{began}".lower()


def _home(sync: Sync, desired: Collection[Desired]) -> Ref | None:
    """The destination's namespace, unless Git has one of its own for it."""
    name = sync.namespace
    if not name or any(is_namespace(each.ref) and each.ref.name == name for each in desired):
        return None
    return Ref("", "Namespace", "", name)


def _namespace(
    sync: Sync, home: Ref | None, live: Mapping[Ref, Observed], facts: Facts, selected: _Selection
) -> Task | None:
    """The task that makes the destination's namespace, or keeps its labels and annotations, where that is asked for."""
    managed = sync.managed_namespace
    if home is None:
        return None
    tracked = live.get(home) if managed is not None and selected(home) else None
    there = facts.namespace if tracked is None else tracked.live
    if tracked is None and (not sync.said("CreateNamespace") or (there is not None and managed is None)):
        return None
    body = namespace_body(home.name, managed)
    manner = _manner(sync, annotated(body.annotations), NONE)
    return Task("PreSync", 0, body.ref, body.gvk, body, there, manner=manner, foreign=True)


def _left(unwanted: Iterable[Ref], paired: Iterable[Ref], live: Mapping[Ref, Observed]) -> list[Ref]:
    """What is there and not in Git, hooks and skipped objects aside, each object once.

    One object may be served by two groups. It is known by its uid, and what is in Git under one of its names stays.
    """
    seen = {live[ref].live.meta.uid for ref in paired if ref in live}
    left: list[Ref] = []
    for ref in sorted(unwanted):
        meta = live[ref].live.meta
        if hooks.role(meta.annotations) != "resource" or (meta.uid and meta.uid in seen):
            continue
        seen.add(meta.uid)
        left.append(ref)
    return left


def _prune(sync: Sync, ref: Ref, live: Cached) -> Task:
    own = live.meta.annotations
    manner = Manner(dry=sync.dry)
    return Task("Sync", wave(own), ref, kind_of(live.raw), None, live, manner=manner, pruning=_pruning(sync, live))


def _pruning(sync: Sync, live: Cached) -> Pruning:
    said = chosen("Prune", annotated(live.meta.annotations), sync.options)
    if not sync.prune:
        return "unasked"
    if said == "false":
        return "forbidden"
    return "confirm" if said == "confirm" and not sync.approved else "allowed"
