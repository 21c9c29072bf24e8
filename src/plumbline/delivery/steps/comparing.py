"""How what is there differs from what Git asks for, and how it fares."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from plumbline.base.errors import EvaluationFailed, InvalidInput, NotFound, PlumblineError
from plumbline.base.evaluator import Evaluator
from plumbline.delivery.compare.comparer import Compared, Comparer, Shapes
from plumbline.delivery.compare.foreseer import FAILED_S, Foreseer, Judge, judge
from plumbline.delivery.compare.pairing import Pair, paired
from plumbline.delivery.compare.preparing import COMPARISON_ERROR
from plumbline.delivery.compare.rollup import View, comparison_failed, rolled_up
from plumbline.delivery.compare.rules import MANAGER
from plumbline.delivery.faring import application_health
from plumbline.delivery.leniency import let_through
from plumbline.delivery.named import Named
from plumbline.delivery.projects.permits import permits_kind, permits_object
from plumbline.delivery.projects.project import Project
from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.status import REFRESH, Condition
from plumbline.delivery.steps.acting import client_of
from plumbline.delivery.steps.orphans import Orphans
from plumbline.delivery.steps.searching import searched
from plumbline.delivery.steps.state import At, Comparison, Faring, Target
from plumbline.delivery.steps.targeting import subject_of
from plumbline.delivery.values import Desired, Observed
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.reconciler import Run, reports
from plumbline.kinds.application import APPLICATION, ApplicationSpec, ApplicationStatus, ResourceStatus
from plumbline.kube.client import Writing
from plumbline.kube.health import Health, Overrides, Script, Status, assess, health_from_lua
from plumbline.kube.health.status import SEVERITY
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref
from plumbline.kube.object import Object

_REMEMBERED: Final = 100_000
_NAMED_CAUSES: Final = 3
_SERVER_SIDE: Final = "failed to calculate diff: error calculating server side diff: serverSideDiff error: "
_DRY: Final = Writing(field_manager=MANAGER, force=True, dry_run=True)
_NO_TARGET: Final = Target((), (), (), (), ())
_NOTHING: Final = Comparison("Unknown", (), Status.UNKNOWN, "", {}, {})

Look = Run[ApplicationSpec, ApplicationStatus]
Scoped = Callable[[str], Iterable[Cluster]]


class _Grounds(NamedTuple):
    """What a comparison rests on, besides the objects that are there: whatever changes those outdates it."""

    desired: tuple[Desired, ...]
    around: tuple[object, ...]
    """Made anew when they change, and only then."""
    words: tuple[object, ...]
    """Read anew with every look."""

    def hold(self, now: "_Grounds") -> bool:
        same = self.desired is now.desired and all(map(operator.is_, self.around, now.around))
        return same and self.words == now.words


_NO_GROUNDS: Final = _Grounds((), (), ())


class Comparing:
    def __init__(
        self,
        comparer: Comparer,
        evaluator: Evaluator,
        orphans: Orphans,
        scoped: Scoped,
        *,
        names: Named,
        foreseer: Foreseer,
    ) -> None:
        self._comparer = comparer
        self._foreseer = foreseer
        self._names = names
        self._strangers: dict[Key, dict[Ref, Key]] = {}
        self._orphans = orphans
        self._evaluator = evaluator
        self._scoped = scoped
        self._healths: dict[tuple[str, str, int, int], Health | None] = {}
        self._healths_by: Overrides | None = None
        """What all of these were assessed by."""
        self._named: dict[tuple[str, str, str, str, str], set[Key]] = {}
        """Objects that Git names and that carry no mark yet, and the applications that name them."""
        self._found: dict[Key, tuple[_Grounds, Comparison]] = {}

    def outdate(self, key: Key) -> None:
        """Something that an application delivers has changed: what was found about it no longer holds."""
        self._found.pop(key, None)

    def doubt(self, application: Ref) -> None:
        """Whatever was found about it before, the next look compares anew."""
        self._comparer.forget(application)
        self._foreseer.forget(application)
        self.outdate((application.namespace, application.name))

    def forget(self, application: Ref) -> None:
        """It is gone."""
        self.doubt(application)
        self._strangers.pop((application.namespace, application.name), None)
        for keys in self._named.values():
            keys.discard((application.namespace, application.name))

    def named(self, server: str, gvk: GroupVersionKind, entry: Cached, *, marked: bool) -> frozenset[Key]:
        """Applications whose Git names an object that was not marked as theirs; once it is, its mark says whose it is."""
        place = (server, gvk.group, gvk.kind, entry.meta.namespace, entry.meta.name)
        return frozenset(self._named.pop(place, ()) if marked else self._named.get(place, ()))

    def passes_over(self, key: Key, ref: Ref, annotations: Iterable[str]) -> bool:
        """Whether an object that is as an application asks for stays so, whatever some *annotations* of it say."""
        grounds, comparison = self._found.get(key, (_NO_GROUNDS, _NOTHING))
        found = comparison.compared.get(ref)
        if found is None or found.foretold or not comparison.in_sync(ref):
            return False
        asked = next((each.annotations for each in grounds.desired if each.ref == ref), None)
        return asked is not None and not any(name in asked for name in annotations)

    def fares_otherwise(self, server: str, before: Cached, after: Cached, overrides: Overrides) -> bool:
        """Whether an object whose status changed fares otherwise; where a script has to say so, it might."""
        if not before.raw or not after.raw:
            return before.raw != after.raw
        was, now = self._assessed(server, before, overrides), self._assessed(server, after, overrides)
        return isinstance(now, Script) or was != now

    def _assessed(self, server: str, entry: Cached, overrides: Overrides) -> Health | Script | None:
        if overrides is not self._healths_by:
            if overrides != self._healths_by:
                self._healths.clear()
            self._healths_by = overrides
        key = (server, entry.meta.uid, entry.relevant, entry.status)
        if key in self._healths:
            return self._healths[key]
        if len(self._healths) >= _REMEMBERED:
            self._healths.clear()
        obj = entry.object()
        answer = assess(obj, overrides)
        if GroupVersionKind.of(obj).group_kind == APPLICATION.group_kind and not isinstance(answer, Script):
            answer = application_health(obj)
        if not isinstance(answer, Script):
            self._healths[key] = answer
        return answer

    async def fared(self, run: Look, at: At) -> At:
        """How what is live fares where nobody knows what Git asks for: that may be wrong for long, and things fall ill."""
        if at.broken is None:
            return at
        try:
            live = await self.live(run, at, _NO_TARGET)
            scopes = await self._scopes(at, _NO_TARGET, live)
        except PlumblineError:
            return at
        subject = subject_of(run, at)
        found = paired((), live, scopes.get, self._permitted(at), subject)
        permitted = _kind_permitted(at.project)
        view = View(subject, at.settings.tracking, scopes.get, permitted, failed=True, inline_health=True)
        standing = rolled_up(found, {}, view)
        return replace(at, faring=Faring(standing.health, _causes(standing.resources, standing.health)))

    @reports("ComparisonError")
    async def compared(self, run: Look, at: At) -> At:
        if at.broken is not None:
            raise at.broken
        assert at.target is not None  # noqa: S101 - the step before has found it
        asked = Object(run.object).annotations.get(REFRESH)
        if asked == "hard":
            self.doubt(at.facts.ref)
        if asked and run.object.get("operation") is None:  # a sync is of what is known
            with run.waiting():
                if await searched(at, run.spec.destination.namespace):
                    self.outdate((at.facts.namespace, at.facts.name))
        comparison = await self.comparison(run, at, at.target)
        return replace(at, comparison=comparison)

    async def comparison(self, run: Look, at: At, target: Target) -> Comparison:
        """*target* beside what is there; what was found before, for as long as neither has changed."""
        key = (at.facts.namespace, at.facts.name)
        grounds = await self._grounds(run, at, target)
        known = self._found.get(key)
        if known is not None and known[0].hold(grounds):
            return known[1]
        await self._watched(run, at, target)
        self._found.pop(key, None)
        marker = (grounds, _NOTHING)
        self._found[key] = marker
        comparison = None
        try:
            comparison = await self._compare(run, at, target)
        finally:
            if self._found.get(key) is marker:  # nothing has changed while it was being looked at
                self._found.pop(key)
                if comparison is not None and not comparison.passing:
                    self._found[key] = (grounds, comparison)
        return comparison

    async def _grounds(self, run: Look, at: At, target: Target) -> _Grounds:
        catalog = await at.destination.live.kinds.catalog()
        around = (at.destination, at.destination.cluster, catalog, at.project, at.settings, at.rules)
        own = tuple(self._scoped(at.project.name))
        said = (run.spec.sync_policy, _judge(run, at, target), _namespace_changed(run, at), _unknown(target))
        return _Grounds(target.desired, around, (*said, own, self._names.times_changed))

    async def _watched(self, run: Look, at: At, target: Target) -> None:
        for each in target.desired:
            if why := at.destination.live.extent.refusal(each.ref):
                raise InvalidInput(why)
        with run.waiting():
            for gvk in sorted(_kinds(run.read.status.resources, target.desired)):
                await at.destination.live.watch(gvk)

    async def _compare(self, run: Look, at: At, target: Target) -> Comparison:
        live = await self.live(run, at, target)
        scopes = await self._scopes(at, target, live)
        permitted = self._permitted(at)
        subject = subject_of(run, at)
        found = paired(target.desired, live, scopes.get, permitted, subject)
        shapes = {gvk: await at.destination.live.kinds.shape(gvk) for gvk in scopes}
        compared = await self._judged(run, at, found.pairs, shapes, asked=_judge(run, at, target))
        differs = {ref: bool(each.differences) for ref, each in compared.items()}
        failures = [each.failure for _, each in sorted(compared.items()) if each.failure]
        view = View(
            subject,
            at.settings.tracking,
            scopes.get,
            _kind_permitted(at.project),
            failed=_unknown(target),
            unjudged=frozenset(ref for ref, each in compared.items() if each.failure),
            inline_health=True,
            namespace_changed=_namespace_changed(run, at),
        )
        standing = rolled_up(found, differs, view)
        managed = tuple(pair.ref for pair in found.pairs)
        asked = REFRESH in Object(run.object).annotations
        orphans = await self._orphans.conditions(at, run.spec.destination.namespace, managed, permitted, fresh=asked)
        return Comparison(
            standing.sync,
            standing.resources,
            standing.health,
            _causes(standing.resources, standing.health),
            {ref: each for ref, (_, each) in live.items() if permitted(ref)},
            compared,
            (
                *(Condition(each.type, each.message) for each in standing.conditions),
                *self._forged(at),
                *orphans,
                *_failed(failures),
            ),
            FAILED_S if failures else None,
            passing=bool(failures) or None in scopes.values() or at.project.spec.orphaned_resources is not None,
        )

    async def _judged(
        self, run: Look, at: At, pairs: Sequence[Pair], shapes: Shapes, *, asked: Judge
    ) -> dict[Ref, Compared]:
        """How the pairs differ, by whoever is to say so."""
        if asked is Judge.OURSELVES:
            return await self._comparer.compare(at.facts.ref, pairs, shapes, at.rules)
        client = client_of(at, run.spec.destination.namespace)

        async def ask(target: Desired, body: bytes) -> bytes:
            resource = await at.destination.live.kinds.resource(target.gvk)
            if resource is None:
                raise NotFound(f"{target.gvk} is not served any more")
            async with at.destination.questions.of(target.gvk):
                place = resource.target(target.ref.namespace, target.ref.name)
                if at.rules.validates(target.annotations):
                    return await client.apply(place, body, _DRY)
                return await let_through(partial(client.apply, place, writing=_DRY), body, shapes[target.gvk])

        with run.waiting():
            return await self._foreseer.compare(at.facts.ref, pairs, shapes, at.rules, judge=asked, ask=ask)

    async def live(self, run: Look, at: At, target: Target) -> dict[Ref, tuple[GroupVersionKind, Observed]]:
        """Everything that is the application's, and everything that Git names, whoever's it is."""
        cluster = at.destination.live
        await self._watched(run, at, target)
        found = cluster.tracked(at.facts.instance)
        self._strangers[at.facts.namespace, at.facts.name] = strangers = self._others(at, target, found)
        for ref in strangers:
            del found[ref]
        for each in target.desired:
            if each.ref.name and each.ref not in found:
                place = (at.destination.cluster.server, *each.ref)
                self._named.setdefault(place, set()).add((at.facts.namespace, at.facts.name))
                entry = await cluster.find(each.gvk, each.ref)
                if entry is not None:
                    found[each.ref] = each.gvk, entry
        overrides = at.settings.customizations.health
        return {
            ref: (gvk, Observed(entry, await self.health(at.destination.cluster.server, entry, overrides)))
            for ref, (gvk, entry) in found.items()
            if entry.raw
        }

    def _others(self, at: At, target: Target, found: Iterable[Ref]) -> dict[Ref, Key]:
        """Objects that carry our mark and are named by somebody else's Git, not by ours: theirs, whoever wrote the mark."""
        key, server = (at.facts.namespace, at.facts.name), at.destination.cluster.server
        ours = {each.ref for each in target.desired}
        asked = ((ref, self._names.by_another((server, ref), key)) for ref in found if ref not in ours)
        return {ref: other for ref, other in asked if other is not None}

    def _forged(self, at: At) -> tuple[Condition, ...]:
        strangers = self._strangers.get((at.facts.namespace, at.facts.name), {})
        return tuple(
            Condition("SharedResourceWarning", f"{ref} is marked as part of it, and is what {other[1]} delivers")
            for ref, other in sorted(strangers.items())
        )

    async def health(self, server: str, entry: Cached, overrides: Overrides) -> Health | None:
        """How an object fares; worked out again only when something that matters to that has changed."""
        answer = self._assessed(server, entry, overrides)
        if not isinstance(answer, Script):
            return answer
        try:
            result = await self._evaluator.lua(answer.source, {"obj": entry.object()}, open_libs=answer.open_libs)
            health = health_from_lua(result)
        except EvaluationFailed as failed:
            health = Health(Status.UNKNOWN, str(failed), "override")
        if overrides is self._healths_by:  # else others count by now
            self._healths[server, entry.meta.uid, entry.relevant, entry.status] = health
        return health

    async def _scopes(
        self, at: At, target: Target, live: Mapping[Ref, tuple[GroupVersionKind, Observed]]
    ) -> dict[GroupVersionKind, bool | None]:
        scopes: dict[GroupVersionKind, bool | None] = {}
        for gvk in {*(each.gvk for each in target.desired), *(gvk for gvk, _ in live.values())}:
            resource = await at.destination.live.kinds.resource(gvk)
            scopes[gvk] = resource.namespaced if resource is not None else None
        return scopes

    def _permitted(self, at: At) -> Callable[[Ref], bool]:
        project, cluster = at.project, at.destination.cluster
        return lambda ref: permits_object(project, ref, cluster, self._scoped)


def _judge(run: Look, at: At, target: Target) -> Judge:
    if target.objection:
        return Judge.OURSELVES  # the destination is not even asked about it
    return judge(Object(run.object).annotations, asked_by_default=at.settings.server_side_diff)


def _unknown(target: Target) -> bool:
    """Whether nobody knows what Git asks for now."""
    return any(each.type == COMPARISON_ERROR for each in target.conditions)


def _namespace_changed(run: Look, at: At) -> bool:
    """Whether the destination's namespace is to have other labels and annotations than the last sync gave it."""
    wanted = run.spec.sync_policy.managed_namespace_metadata if run.spec.sync_policy is not None else None
    state = at.operated.state if at.operated is not None else run.read.status.operation_state
    synced = state.sync_result if state is not None else None
    return wanted is not None and synced is not None and synced.managed_namespace_metadata != wanted


def _failed(failures: Sequence[str]) -> Iterable[Condition]:
    """One for all objects that the server would not judge, which names some."""
    if failures:
        more = f"; and {len(failures) - _NAMED_CAUSES} more" if len(failures) > _NAMED_CAUSES else ""
        told = "; ".join(failures[:_NAMED_CAUSES])
        found = comparison_failed(f"{_SERVER_SIDE}{told}{more}")
        yield Condition(found.type, found.message)


def _kinds(resources: Iterable[ResourceStatus], desired: Iterable[Desired]) -> set[GroupVersionKind]:
    """Kinds of which the application has, or had, an object."""
    had = {GroupVersionKind(each.group, each.version, each.kind) for each in resources if each.kind and each.version}
    return had | {each.gvk for each in desired}


def _kind_permitted(project: Project) -> Callable[[GroupKind, str, bool], bool]:
    return lambda kind, name, namespaced: permits_kind(project, kind, name, namespaced=namespaced)


def _causes(resources: Iterable[ResourceStatus], health: Status) -> str:
    """The objects that make the application as it is, where it is not well: root causes float to the top."""
    if SEVERITY[health] <= SEVERITY[Status.SUSPENDED]:
        return ""
    worst = [each for each in resources if each.health is not None and each.health.status == health]
    named = [_cause(each, each.health.message) for each in worst[:_NAMED_CAUSES] if each.health is not None]
    more = f" and {len(worst) - _NAMED_CAUSES} more" if len(worst) > _NAMED_CAUSES else ""
    return f"Caused by {', '.join(named)}{more}" if named else ""


def _cause(each: ResourceStatus, message: str) -> str:
    kind = f"{each.group}/{each.kind}" if each.group else each.kind
    named = f"{kind}:{each.namespace}/{each.name}" if each.namespace else f"{kind}:{each.name}"
    return f"{named} {message}" if message else named
