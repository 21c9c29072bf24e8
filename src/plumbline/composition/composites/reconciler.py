"""A look at a composite, from top to bottom."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple, Protocol

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition import marks
from plumbline.composition.composites.applying import Applier, Unsynced
from plumbline.composition.composites.observing import Composed as Watched
from plumbline.composition.composites.planning import Composing, Observation, Templates, planned
from plumbline.composition.composites.state import At, Chosen, Composed, Revision
from plumbline.composition.composites.status import ended, news, ready, reported
from plumbline.composition.conditions import DELETING
from plumbline.composition.connections import Connections
from plumbline.composition.definitions.values import Defined
from plumbline.composition.functions.values import Resource, State
from plumbline.composition.looking import Look, status_of, unless_paused, warnings
from plumbline.composition.machinery import machinery, machinery_patch, with_machinery
from plumbline.composition.pipeline.values import Event as Said
from plumbline.composition.served import Open, kind_of
from plumbline.gate.hands import Behalf, Hands
from plumbline.kernel.kinds import Kinds
from plumbline.kernel.outcomes import Done, Wait
from plumbline.kernel.patience import patient
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Seen
from plumbline.kube.client import Target, Writing
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.patch.merge_patch import create_merge_patch

_WRITING: Final = Writing(field_manager=marks.COMPOSITE_MANAGER)
_FATAL_S: Final = 30.0
_NEWS_S: Final = 1.0
"""Not at once: a function that always reports something else would keep us busy."""
_SPREAD: Final = 0.1


class Choosing(Protocol):
    def chosen(self, composite: JsonObject, defined: Defined) -> Chosen:
        """Which composition, and which revision of it. Raises where there is none."""


class Pipeline(Protocol):
    async def run(self, revision: Revision, observed: State) -> Composed:
        """What the functions of a revision want; whatever goes wrong in one of them is part of the answer."""

    def templates(self, revision: Revision) -> Templates | None:
        """Those of a composition without functions; None for a pipeline."""


class Around(NamedTuple):
    """What looks at composites of one type need."""

    defined: Defined
    choosing: Choosing
    pipeline: Pipeline
    watched: Watched
    applier: Applier
    connections: Connections
    hands: Hands
    kinds: Kinds
    ancestors: Callable[[JsonObject], list[JsonObject]]
    """The composites that a composite is part of, the nearest first."""
    tell_claim: Callable[[JsonObject, Event], Awaitable[None]]
    """Lets the claim of a composite know of an event."""
    requires: Callable[[JsonObject, frozenset[tuple[str, str]]], None]
    """Told of the kinds that a composite's functions were shown."""

    @property
    def legacy(self) -> bool:
        return self.defined.lineage == "legacy"


class CompositeReconciler(Reconciler[Open, Open]):
    finalizer = marks.COMPOSITE_FINALIZER
    holds_itself = True

    def __init__(self, around: Around) -> None:
        self.kind = kind_of(around.defined.composite, namespaced=around.defined.namespaced)
        self.name = f"composite/{self.kind.crd_name}"
        self._around = around
        self._told: dict[str, frozenset[Said]] = {}
        self.steps = patient(
            unless_paused,
            self.chosen,
            self.observed,
            self.composed,
            self.planned,
            self.dropped,
            self.recorded,
            self.applied,
            self.published,
            self.rested,
        )
        self.teardown = patient(unless_paused, self.released)

    async def chosen(self, run: Look, _: object) -> At:
        defined = self._around.defined
        chosen = self._around.choosing.chosen(run.object, defined)
        self._check_nesting(run.object, chosen.revision)
        composite = (
            with_machinery(run.object, chosen.fields, legacy=self._around.legacy) if chosen.fields else run.object
        )
        return At(chosen, composite)

    async def observed(self, run: Look, at: At) -> At:
        around = self._around
        references = machinery(at.composite, legacy=around.legacy).get("resourceRefs")
        listed = [each for each in references if isinstance(each, dict)] if isinstance(references, list) else []
        with run.waiting():
            observed = await around.watched.observe(at.composite, listed, around.pipeline.templates(at.chosen.revision))
            connection = await around.connections.of(at.composite) if around.legacy else {}
        return at._replace(observed=observed, connection=connection)

    async def composed(self, run: Look, at: At) -> At:
        state = State(Resource(at.composite, at.connection), _resources(at.observed))
        with run.waiting():
            composed = await self._around.pipeline.run(at.chosen.revision, state)
        await self._tell(run, composed)
        self._around.requires(run.object, composed.required)
        return at._replace(composed=composed)

    async def planned(self, run: Look, at: At) -> At | Wait:
        if at.composed.fatal:
            await self._record(run, at.chosen.fields, {})
            return Wait("ComposeResources", f"cannot compose resources: {at.composed.fatal}", _FATAL_S)
        templates = self._around.pipeline.templates(at.chosen.revision)
        composing = Composing(at.composite, (await self._scopes(at)).get, templates)
        kept = {name: each for name, each in at.observed.items() if name in at.composed.left_alone}
        rest = {name: each for name, each in at.observed.items() if name not in kept}
        plan = planned(composing, at.composed.desired.resources, rest)
        for each in plan.overridden:
            run.tell("NamespaceOverridden", each, warning=True)
        unsynced = tuple(Unsynced(name, _unrendered(name, at.composed)) for name in sorted(at.composed.left_alone))
        return at._replace(plan=plan, lingering=tuple(kept.items()), unsynced=unsynced)

    async def _scopes(self, at: At) -> dict[GroupVersionKind, bool]:
        """Which of the kinds that are composed have namespaces, where that matters."""
        if not self._around.defined.namespaced:
            return {}
        wanted = {GroupVersionKind.of(each.resource) for each in at.composed.desired.resources.values()}
        found = {gvk: await self._around.kinds.resource(gvk) for gvk in wanted}
        return {gvk: resource.namespaced for gvk, resource in found.items() if resource is not None}

    async def dropped(self, run: Look, at: At) -> At:
        """Before it is forgotten, what is no longer wanted is let go; unless that would lose something."""
        if not at.plan.dropped:
            return at
        lingering, told = await self._around.applier.drop(run.object, at.plan.dropped)
        return at._replace(lingering=(*at.lingering, *lingering), unsynced=(*at.unsynced, *told))

    async def recorded(self, run: Look, at: At) -> At:
        """The composite says what it is made of before any of it exists: nothing can be forgotten. One write, if any."""
        around = self._around
        templates = around.pipeline.templates(at.chosen.revision)
        references = at.plan.references(at.lingering, local=around.defined.namespaced, templates=templates)
        said = {key: value for key, value in at.composed.spec.items() if run.object["spec"].get(key) != value}
        await self._record(run, {**at.chosen.fields, "resourceRefs": references}, said)
        return at._replace(rewritten=bool(said))

    async def _record(self, run: Look, fields: JsonObject, said: JsonObject) -> None:
        """Make the composite's machinery say *fields*, and the rest of its spec what templates have *said*."""
        around, xr = self._around, run.object
        live = machinery(xr, legacy=around.legacy)
        changed = {key: value for key, value in fields.items() if live.get(key, [] if key == "resourceRefs" else None) != value}  # fmt: skip
        metadata = _prepared(xr["metadata"])
        patch: JsonObject = {"metadata": metadata} if metadata else {}
        if changed or said:
            patch["spec"] = {**create_merge_patch({}, said), **machinery_patch(changed, legacy=around.legacy)}
        if patch:
            reply = await around.hands.patch(self._target(xr), xr, patch, _WRITING, Behalf.of("composite", xr))
            if reply is not None:
                run.wrote(reply)

    async def applied(self, run: Look, at: At) -> At:
        with run.waiting():
            unsynced = await self._around.applier.apply(run.object, at.plan.wanted)
        for each in unsynced:
            run.tell("ComposeResources", each.why, warning=True)
        return at._replace(unsynced=(*at.unsynced, *unsynced), complete=True)

    async def published(self, run: Look, at: At) -> At:
        defined, xr = self._around.defined, run.object
        where = machinery(xr, legacy=True).get("writeConnectionSecretToRef") if self._around.legacy else None
        details = at.composed.desired.composite.connection
        if not isinstance(where, dict) or not where.get("name"):
            return at
        wanted = _filtered(details, defined.connection_keys)
        place = Ref("", "Secret", str(where.get("namespace") or ""), str(where["name"]))
        published = await self._around.connections.publish(place, xr, wanted, Behalf.of("composite", xr), additive=True)
        if published:
            run.tell("PublishConnectionSecret", "Successfully published connection details")
        return at._replace(published=published)

    async def rested(self, run: Look, at: At) -> Done:
        """Whatever a function looked at that nobody watches is looked at again in its time, not all at once."""
        if at.rewritten or news(run.object, at):
            return Done(_NEWS_S)
        uid = run.object["metadata"]["uid"]
        share = hashlib.sha256(uid.encode()).digest()[0] / 255
        return Done(at.composed.ttl_s * (1 - _SPREAD + 2 * _SPREAD * share))

    async def released(self, run: Look, _: object) -> Done:
        """What it is made of goes with it: the API server's garbage collector sees to that."""
        uid = run.object["metadata"]["uid"]
        self._around.applier.forget(uid)
        self._told.pop(uid, None)
        return Done()

    def change(self, seen: Seen[Open, Open], executed: Executed, now: str) -> Change:
        xr = seen.object
        at = executed.state if isinstance(executed.state, At) else None
        synced = ended(at, executed.reported.outcome)
        conditions = [synced]
        if xr["metadata"].get("deletionTimestamp"):
            conditions.append(DELETING)
        elif at is not None and at.complete:
            conditions.append(ready(at))
        after = reported(xr, at, conditions, now)
        patch = create_merge_patch({"status": status_of(xr)}, {"status": after})
        return Change(patch, warnings(xr, synced, "ComposeResources"))

    async def _tell(self, run: Look, composed: Composed) -> None:
        """What functions say is news once, however often they say it."""
        uid = run.object["metadata"]["uid"]
        known = self._told.get(uid, frozenset())
        for event in composed.events:
            if event in known:
                continue
            warning = event.type == "Warning"
            run.tell(event.reason, event.told, warning=warning)
            if event.recipient == "CompositeAndClaim":
                await self._around.tell_claim(run.object, Event(event.reason, event.message, warning=warning))
        self._told[uid] = frozenset(composed.events)

    def _check_nesting(self, xr: JsonObject, revision: Revision) -> None:
        legacy = self._around.legacy
        for ancestor in self._around.ancestors(xr):
            composition = machinery(ancestor, legacy=legacy).get("compositionRef") or {}
            if GroupVersionKind.of(ancestor).group_kind == self.kind.group_kind and composition.get("name") == revision.composition:  # fmt: skip
                raise InvalidInput(
                    f"Composition {revision.composition} composes itself",
                    why=f"{xr['kind']} {xr['metadata']['name']} is part of {ancestor['metadata']['name']}, made by the same one",
                    hint="Compose another kind, or select another composition for the inner one.",
                )

    def _target(self, xr: JsonObject) -> Target:
        metadata = xr["metadata"]
        return Target(self.kind.resource, metadata.get("namespace", ""), metadata["name"])


def _resources(observed: Mapping[str, Observation]) -> dict[str, Resource]:
    return {name: Resource(each.object, each.connection) for name, each in observed.items()}


def _unrendered(name: str, composed: Composed) -> str:
    """Why a resource was left alone, as far as somebody said it."""
    about = (event.message for event in composed.events if f'composed resource "{name}"' in event.message)
    return next(about, "it could not be rendered")


def _prepared(metadata: JsonObject) -> JsonObject:
    """What a composite has to carry before anything is composed."""
    patch: JsonObject = {}
    finalizers = metadata.get("finalizers") or []
    if marks.COMPOSITE_FINALIZER not in finalizers:
        patch["finalizers"] = [*finalizers, marks.COMPOSITE_FINALIZER]
    if not (metadata.get("labels") or {}).get(marks.COMPOSITE):
        patch["labels"] = {marks.COMPOSITE: metadata["name"]}
    return patch


def _filtered(details: Mapping[str, Plaintext], keys: tuple[str, ...]) -> Mapping[str, Plaintext]:
    return {key: value for key, value in details.items() if key in keys} if keys else details
