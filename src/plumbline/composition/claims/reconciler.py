"""A look at a claim, from top to bottom."""

from typing import Any, Final, NamedTuple

from plumbline.base.errors import NotFound, OwnedElsewhere, OwnerSide
from plumbline.base.json import JsonObject, decode
from plumbline.composition import marks
from plumbline.composition.claims import syncing
from plumbline.composition.conditions import (
    AVAILABLE,
    DELETING,
    TROUBLE,
    Condition,
    found,
    is_true,
    synced,
    with_conditions,
)
from plumbline.composition.connections import Connections
from plumbline.composition.definitions.values import Defined
from plumbline.composition.looking import Look, status_of, unless_paused, warnings
from plumbline.composition.machinery import name_in
from plumbline.composition.served import Open, kind_of
from plumbline.gate.hands import Behalf, Hands
from plumbline.gate.intents import Destruction, Loss
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.informer import Informer
from plumbline.kernel.kinds import Kinds
from plumbline.kernel.outcomes import Done, Wait
from plumbline.kernel.patience import patient
from plumbline.kernel.reconciler import Change, Executed, Reconciler, Seen
from plumbline.kube.client import Target, Writing
from plumbline.kube.diff import diff
from plumbline.kube.names import Ref
from plumbline.kube.patch.merge_patch import create_merge_patch

WAITING: Final = Condition("Ready", "False", "Waiting", "Claim is waiting for composite resource to become Ready")
_CLAIM: Final = Writing(field_manager="crossplane")
_COMPOSITE: Final = Writing(field_manager=marks.CLAIM_MANAGER, force=True)
_FOREGROUND_S: Final = 5.0


class Around(NamedTuple):
    """What looks at claims of one type need."""

    defined: Defined
    composites: Informer
    hands: Hands
    connections: Connections
    kinds: Kinds


class Bound(NamedTuple):
    """A claim with its composite."""

    composite: JsonObject | None
    published: bool = False


class ClaimReconciler(Reconciler[Open, Open]):
    finalizer = marks.CLAIM_FINALIZER
    holds_itself = True

    def __init__(self, around: Around) -> None:
        assert around.defined.claim is not None  # noqa: S101 - or there would be nothing to look at
        self.kind = kind_of(around.defined.claim, namespaced=True)
        self.name = f"claim/{self.kind.crd_name}"
        self._around = around
        self._left: dict[str, tuple[JsonObject, int]] = {}
        self.steps = patient(unless_paused, self.found, self.bound, self.handed_on, self.published)
        self.teardown = patient(unless_paused, self.found, self.released)

    async def found(self, run: Look, _: object) -> Bound:
        syncing.check_secret(run.object)
        composites, key = self._around.composites, ("", syncing.composite_of(run.object))
        await composites.readable()
        entry = composites.cache.get(key)
        if entry is None and run.deleting:
            entry = await _asked_for(composites, key)
        composite = entry.object() if entry is not None else None
        syncing.check_bound(run.object, composite)
        return Bound(composite)

    async def bound(self, run: Look, at: Bound) -> Bound:
        """The claim says which composite is its own before that exists: it can never be forgotten."""
        patch = syncing.claim_patch(run.object, at.composite, self._around.defined)
        if patch:
            target = self._target(run.object)
            reply = await self._around.hands.patch(target, run.object, patch, _CLAIM, _behalf(run.object))
            if reply is not None:
                run.wrote(reply)
        return at

    async def handed_on(self, run: Look, at: Bound) -> Bound:
        """The composite is as the claim says."""
        around, claim = self._around, run.object
        body = syncing.composite_for(claim, at.composite, around.defined)
        uid = claim["metadata"]["uid"]
        entry = around.composites.cache.get(("", body["metadata"]["name"]))
        if at.composite is not None and entry is not None:
            if self._left.get(uid) == (body, entry.relevant):
                return at
            shape = await around.kinds.shape(around.defined.composite.gvk)
            if not diff(body, at.composite, shape, manager=marks.CLAIM_MANAGER):
                self._left[uid] = (body, entry.relevant)
                return at
        target = Target(around.defined.composite.gvr, "", body["metadata"]["name"])
        with run.waiting():
            reply = await around.hands.apply(target, body, _COMPOSITE, _behalf(claim), "Make what the claim asks for")
        if reply is None:
            return at
        self._left[uid] = (body, around.composites.learn(reply).relevant)
        return at._replace(composite=decode(reply))

    async def published(self, run: Look, at: Bound) -> Bound:
        """Connection details of a composite that is ready become those of the claim."""
        composite, claim = at.composite, run.object
        wanted = name_in(claim["spec"], "writeConnectionSecretToRef")
        if composite is None or not wanted or not is_true(composite, "Ready"):
            return at
        source = composite["spec"].get("writeConnectionSecretToRef")
        if not isinstance(source, dict):
            return at
        place = Ref("", "Secret", str(source.get("namespace") or ""), str(source.get("name") or ""))
        entry = await self._around.connections.find(place.namespace, place.name)
        if entry is None:
            raise NotFound(f"Secret {place.namespace}/{place.name} of the composite is not there yet")
        _check_source(entry.object(), composite, place)
        own = Ref("", "Secret", claim["metadata"]["namespace"], wanted)
        details = await self._around.connections.of(composite)
        published = await self._around.connections.publish(own, claim, details, _behalf(claim), additive=False)
        if published:
            message = "Successfully propagated connection details from composite resource"
            run.tell("PropagateConnectionSecret", message)
        return at._replace(published=published)

    async def released(self, run: Look, at: Bound) -> Done | Wait:
        """Whoever deletes a claim means what was made for it."""
        composite, claim = at.composite, run.object
        self._left.pop(claim["metadata"]["uid"], None)
        if composite is None:
            return Done()
        foreground = claim["spec"].get("compositeDeletePolicy") == "Foreground"
        if not composite["metadata"].get("deletionTimestamp"):
            name = composite["metadata"]["name"]
            target = Target(self._around.defined.composite.gvr, "", name)
            losses = Destruction("deletion", (Loss(str(Ref.of(composite))),), requested=True)
            propagation = "Foreground" if foreground else "Background"
            try:
                await self._around.hands.delete(target, composite, _behalf(claim), losses, propagation)
            except NotFound:
                return Done()
            run.tell("DeleteCompositeResource", "Successfully deleted composite resource")
        if foreground:
            return Wait("Deleting", f"Waiting for {composite['metadata']['name']} to be gone", _FOREGROUND_S)
        return Done()

    def change(self, seen: Seen[Open, Open], executed: Executed, now: str) -> Change:
        claim, state = seen.object, executed.state
        before = status_of(claim)
        after = {**before}
        ended = synced(executed.reported.outcome)
        conditions = [ended]
        if isinstance(state, Bound) and state.composite is not None:
            if not claim["metadata"].get("deletionTimestamp"):
                after = {**_machinery(before), **syncing.reported(state.composite)}
            conditions += _handed_down(state.composite)
        conditions += _ready(claim, executed)
        if isinstance(state, Bound) and state.published:
            after["connectionDetails"] = {"lastPublishedTime": now}
        after["conditions"] = with_conditions(before.get("conditions"), conditions, now)
        patch = create_merge_patch({"status": before}, {"status": after})
        return Change(patch, warnings(claim, ended, "BindCompositeResource"))

    def _target(self, claim: JsonObject) -> Target:
        metadata = claim["metadata"]
        return Target(self.kind.resource, metadata["namespace"], metadata["name"])


async def _asked_for(composites: Informer, key: Key) -> Cached | None:
    """Past the copy, which may be behind: a claim that goes must not leave anything."""
    try:
        return await composites.fetched(key)
    except NotFound:
        return None


def _behalf(claim: JsonObject) -> Behalf:
    return Behalf.of("claim", claim)


def _machinery(status: JsonObject) -> JsonObject:
    return {key: value for key, value in status.items() if key in {"conditions", "connectionDetails"}}


def _ready(claim: JsonObject, executed: Executed) -> list[Condition]:
    if claim["metadata"].get("deletionTimestamp"):
        return [DELETING]
    state: Any = executed.state
    if not isinstance(executed.reported.outcome, Done) or not isinstance(state, Bound) or state.composite is None:
        return []
    return [AVAILABLE] if is_true(state.composite, "Ready") else [_waiting(state.composite)]


def _waiting(composite: JsonObject) -> Condition:
    """Not ready, and as far as the composite can tell, why: whoever wrote the claim sees nothing else."""
    synced, ready = found(composite, "Synced") or {}, found(composite, "Ready") or {}
    why = str(synced.get("message") or "") if synced.get("status") == "False" else ""
    why = why or str(ready.get("message") or "").partition(TROUBLE)[2]
    return WAITING._replace(message=f"{WAITING.message}: {why}") if why else WAITING


def _handed_down(composite: JsonObject) -> list[Condition]:
    """Conditions that functions have set for the claim too."""
    types = (composite.get("status") or {}).get("claimConditionTypes")
    told = [found(composite, str(each)) for each in types] if isinstance(types, list) else []
    return [
        Condition(str(each["type"]), str(each.get("status")), str(each.get("reason")), str(each.get("message") or ""))
        for each in told
        if each is not None
    ]


def _check_source(secret: JsonObject, composite: JsonObject, place: Ref) -> None:
    """Only what the composite itself has written: else a claim could read any Secret by naming it."""
    owners = secret["metadata"].get("ownerReferences") or []
    if any(each.get("controller") and each.get("uid") == composite["metadata"]["uid"] for each in owners):
        return
    where = f"{place.namespace}/{place.name}"
    raise OwnedElsewhere(
        f"Connection details are not copied from Secret {where}",
        why="the composite does not control it",
        hint="Name a Secret of its own in the composite's writeConnectionSecretToRef.",
        holder=OwnerSide("whoever made it", f"Secret {where}"),
        claimant=OwnerSide(str(Ref.of(composite)), "spec.writeConnectionSecretToRef"),
    )
