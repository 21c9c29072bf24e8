"""How far a look at a composite has come: each step adds what it found out."""

from collections.abc import Mapping
from typing import NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition.composites.applying import Unsynced
from plumbline.composition.composites.planning import Observation, Plan
from plumbline.composition.functions.values import Condition, State
from plumbline.composition.pipeline.values import Event

NO_PLAN = Plan((), ())


class Revision(NamedTuple):
    """A CompositionRevision, as far as composing needs it. Equal names and versions mean the same one."""

    name: str
    version: str
    composition: str
    spec: JsonObject


class Chosen(NamedTuple):
    revision: Revision
    fields: JsonObject
    """Machinery of the composite that has to say so."""


class Composed(NamedTuple):
    """What a pipeline of functions came to."""

    desired: State = State()
    events: tuple[Event, ...] = ()
    conditions: tuple[Condition, ...] = ()
    left_alone: frozenset[str] = frozenset()
    """Resources that could not be rendered this time: what there is of them stays as it is."""
    fatal: str = ""
    """Why it came to nothing."""
    ttl_s: float = 60.0
    spec: Mapping[str, Json] = {}
    """What templates write into the composite's own spec; functions cannot."""
    required: frozenset[tuple[str, str]] = frozenset()
    """Kinds that are followed, by apiVersion and kind, of which functions were shown something."""


class At(NamedTuple):
    chosen: Chosen
    composite: JsonObject
    """With everything that was chosen for it, whether it is written yet or not."""
    observed: Mapping[str, Observation] = {}
    connection: Mapping[str, Plaintext] = {}
    composed: Composed = Composed()
    plan: Plan = NO_PLAN
    lingering: tuple[tuple[str, Observation], ...] = ()
    """What stays although nobody wants it, or knows how, by the name that the composition gave it."""
    unsynced: tuple[Unsynced, ...] = ()
    rewritten: bool = False
    """Whether templates wrote something into the composite's spec that they have not been shown yet."""
    published: bool = False
    complete: bool = False
    """Whether everything was applied: else what is ready cannot be told."""
