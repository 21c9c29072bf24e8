"""Runs what a composition says, in either mode, and ends where a function refuses."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import EvaluationFailed, InvalidInput
from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.functions.values import Answer, Call, Condition, Function, Resource, Result, State
from plumbline.composition.patching.native import Native, native
from plumbline.composition.pipeline import Event, Limits, Step, run
from plumbline.composition.pipeline.values import COMPOSE
from plumbline.composition.rendering.fetching import connection, sources
from plumbline.composition.rendering.values import Engine, Inputs, fields

_SEED: Final = "\0context"
_RENDER: Final = "cannot render composite resource"


class Ran(NamedTuple):
    desired: State
    context: JsonObject
    results: tuple[tuple[str, Result], ...]
    events: tuple[Event, ...]
    conditions: tuple[Condition, ...]
    observed: Mapping[str, JsonObject]
    """What was given as observed, by the name that the composition gives it."""
    left_alone: frozenset[str] = frozenset()
    """What could not be rendered, and is not applied this time."""


class _Seed:
    """Stands before all other steps and gives the context that was asked for."""

    def __init__(self, context: JsonObject) -> None:
        self._context = context

    async def run(self, call: Call) -> Answer:
        return Answer(desired=call.desired, context=self._context, ttl_s=0)


async def ran(inputs: Inputs, engine: Engine, composite: JsonObject) -> Ran:
    """Raises EvaluationFailed with the words of whoever refused. *composite* is what functions see."""
    spec = fields(inputs.composition, "spec")
    if spec.get("mode", "Resources" if "resources" in spec else "Pipeline") == "Resources":
        function = native(spec)
        observed = _observed(inputs, function)
        return await _natively(function, inputs, composite, observed)
    observed = _observed(inputs, None)
    state = _state(inputs, engine, composite, observed)
    steps = tuple(_step(each) for each in spec.get("pipeline") or ())
    if inputs.context:
        steps = (Step(name="context", function=_SEED), *steps)
    limits = Limits(pipeline_s=inputs.timeout_s, call_s=inputs.timeout_s)
    outcome = await run(steps, state, sources(inputs, engine, _seeded(inputs)), limits)
    if outcome.failure is not None:
        raise EvaluationFailed(f"{_RENDER}: {outcome.failure.message}", hint=outcome.failure.hint)
    return Ran(outcome.desired, outcome.context, outcome.results, outcome.events, outcome.conditions, observed)


def _step(written: object) -> Step:
    try:
        return Step.of(written)  # type: ignore[arg-type]  # whatever the file holds: refused right here
    except (AttributeError, KeyError, TypeError) as fault:
        raise InvalidInput(
            "the Composition has a step that is none", why="step or functionRef.name is missing"
        ) from fault


def _seeded(inputs: Inputs) -> Callable[[str], Function]:
    seed = _Seed(inputs.context)
    return lambda name: seed if name == _SEED else inputs.functions(name)


def _state(inputs: Inputs, engine: Engine, composite: JsonObject, observed: Mapping[str, JsonObject]) -> State:
    secrets = (*inputs.secrets, *inputs.required) if engine == "new" else ()
    own = connection(composite, secrets) if inputs.legacy else {}
    composed = {name: Resource(each, connection(each, secrets)) for name, each in observed.items()}
    return State(Resource(composite, own), composed)


def _observed(inputs: Inputs, function: Native | None) -> dict[str, JsonObject]:
    places = list(function.names) if function is not None and function.anonymous else []
    found: dict[str, JsonObject] = {}
    for each in inputs.observed:
        name = fields(each, "metadata", "annotations").get(marks.RESOURCE_NAME)
        name = name or next((place for place in places if place not in found), "")
        if not name:
            raise InvalidInput(
                f"the observed {each.get('kind', 'resource')} {fields(each, 'metadata').get('name', '')} has no name "
                "in the composition",
                hint=f"Annotate it with {marks.RESOURCE_NAME}.",
            )
        found[str(name)] = each
    return found


async def _natively(function: Native, inputs: Inputs, composite: JsonObject, observed: Mapping[str, JsonObject]) -> Ran:
    answer = await function.run(Call(observed=_state(inputs, "new", composite, observed), context=inputs.context))
    fatal = next((each.message for each in answer.results if each.severity == "Fatal"), None)
    if fatal is not None:
        raise EvaluationFailed(f"{_RENDER}: {fatal}")
    results = tuple(("", each) for each in answer.results)
    events = tuple(
        Event(type="Warning", reason=each.reason or COMPOSE, message=each.message) for each in answer.results
    )
    return Ran(answer.desired, answer.context, results, events, (), observed, answer.left_alone)
