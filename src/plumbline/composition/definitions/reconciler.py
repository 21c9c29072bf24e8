"""A look at a CompositeResourceDefinition, from top to bottom."""

from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.json import JsonObject
from plumbline.composition.definitions.establishing import ESTABLISHING, At, Establishing
from plumbline.composition.definitions.leaving import TERMINATING, Departing
from plumbline.composition.definitions.reporting import condition, condition_of, status_patch, synced
from plumbline.composition.definitions.values import Listener, Offer
from plumbline.composition.definitions.writing import Hands
from plumbline.gate.gate import Gate
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Done
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Seen
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION, XrdSpec, XrdStatus
from plumbline.kube.client import Client

_UNDER_WAY: Final = frozenset({ESTABLISHING, TERMINATING})
"""Reasons to look again that nobody has to be told."""


class DefinitionReconciler(Reconciler[XrdSpec, XrdStatus]):
    name = "definition"
    kind = COMPOSITE_RESOURCE_DEFINITION
    finalizer = "defined.apiextensions.crossplane.io"

    def __init__(self, client: Client, gate: Gate, listener: Listener, clock: Clock) -> None:
        hands = Hands(gate, client)
        way = Establishing(hands, listener)
        end = Departing(hands, listener, way, clock)
        self.steps = (
            way.rendered,
            way.held,
            way.found,
            way.compatible,
            way.applied,
            way.established,
            way.aggregated,
            way.offered,
        )
        self.teardown = (end.found, end.released, end.emptied, end.withdrawn, end.removed, end.freed)

    def change(self, seen: Seen[XrdSpec, XrdStatus], executed: Executed, now: str) -> Change:
        obj, outcome = seen.object, executed.reported.outcome
        generation = obj["metadata"].get("generation") or 0
        if not isinstance(outcome, Done) and outcome.reason in _UNDER_WAY:
            return Change({})
        ours: list[Condition] = []
        fields: JsonObject = {}
        at = executed.state
        if isinstance(at, At) and at.offered:
            ours, fields = _served(at, generation)
        patch = status_patch(obj, (*ours, synced(outcome, generation)), now, fields=fields)
        return Change(patch, _news(seen, executed))


def _served(at: At, generation: int) -> tuple[list[Condition], JsonObject]:
    definition = at.definition
    ours = [condition("Established", "True", "WatchingCompositeResource", generation=generation)]
    controllers: JsonObject = {"compositeResourceType": _reference(definition.composite)}
    if definition.claim is not None:
        ours.append(condition("Offered", "True", "WatchingCompositeResourceClaim", generation=generation))
        controllers["compositeResourceClaimType"] = _reference(definition.claim)
    return ours, {"controllers": controllers}


def _reference(offer: Offer) -> JsonObject:
    return {"apiVersion": offer.gvk.api_version, "kind": offer.gvk.kind}


def _news(seen: Seen[XrdSpec, XrdStatus], executed: Executed) -> tuple[Event, ...]:
    """A warning where the look ended otherwise than the last one."""
    outcome = executed.reported.outcome
    if isinstance(outcome, Done):
        return ()
    before = condition_of(seen.object, "Synced")
    if (before.get("status"), before.get("reason")) == ("False", outcome.reason):
        return ()
    if outcome.reason == "InvalidDefinition":
        reason = "RenderCRD"
    elif seen.run is not None and seen.run.deleting:
        reason = "TerminateComposite"
    else:
        reason = "EstablishComposite"
    return (Event(reason, outcome.message, warning=True),)
