"""The pipeline: desired state and context begin empty and go from function to function."""

import asyncio
from collections.abc import Sequence

import msgspec

from plumbline.base.errors import InvalidInput, PlumblineError, TimedOut
from plumbline.base.json import JsonObject
from plumbline.composition.conditions import SYSTEM
from plumbline.composition.functions.values import Answer, Call, Condition, Result, Selector, State
from plumbline.composition.pipeline.asking import asked, fetched, schemas
from plumbline.composition.pipeline.checks import culprit, fault_of, weighed
from plumbline.composition.pipeline.limits import Limits
from plumbline.composition.pipeline.secrecy import Secrecy
from plumbline.composition.pipeline.sources import Sources
from plumbline.composition.pipeline.tags import fingerprint, tag
from plumbline.composition.pipeline.values import COMPOSE, Event, Failure, Outcome, Step, failed, refused

_USUAL = Limits()


async def run(steps: Sequence[Step], observed: State, sources: Sources, limits: Limits = _USUAL) -> Outcome:
    """Run all *steps* on what is *observed*. Never raises for what a function or a source does: that is a failure."""
    progress = _Run(observed, sources, limits)
    at = Step(name="", function="")
    try:
        async with asyncio.timeout(limits.pipeline_s) as deadline:
            for at in steps:
                failure = await progress.step(at)
                if failure is not None:
                    return progress.outcome(failure)
    except TimeoutError:
        if not deadline.expired():
            raise
        late = TimedOut(f"the pipeline did not end within {limits.pipeline_s:g} s")
        return progress.outcome(failed(at, late))
    return progress.outcome(progress.unusable(steps))


class _Run:
    """What has come of the steps so far."""

    def __init__(self, observed: State, sources: Sources, limits: Limits) -> None:
        self._observed = observed
        self._sources = sources
        self._limits = limits
        self._print = fingerprint(observed)
        self._states: list[State] = [State()]
        self._desired_print = fingerprint(self._states[0])
        self._context: JsonObject = {}
        self._results: list[tuple[str, Result]] = []
        self._events: list[Event] = []
        self._conditions: list[Condition] = []
        self._required: dict[str, Selector] = {}
        self._outputs: dict[str, JsonObject] = {}
        self._ttl_s = 0.0
        self._secrecy = Secrecy(observed, limits.message_chars)

    async def step(self, step: Step) -> Failure | None:
        try:
            function = self._sources.functions(step.function)
            call = await self._call(step)
            answer, wanted = await asked(function, call, self._sources, self._limits)
            desired_print = weighed(answer, self._limits)
        except PlumblineError as error:
            return self._masked(failed(step, error))
        for selector in (*step.resources.values(), *wanted.resources.values(), *wanted.extra_resources.values()):
            self._required[repr(selector)] = selector
        self._secrecy.see(answer.desired)
        self._take_conditions(step, answer)
        fatal = self._take_results(step, answer)
        if fatal is not None:
            return self._masked(refused(step, fatal.message))
        self._states.append(answer.desired)
        self._desired_print, self._context = desired_print, answer.context
        if answer.ttl_s and (not self._ttl_s or answer.ttl_s < self._ttl_s):
            self._ttl_s = answer.ttl_s
        if answer.output is not None:
            self._outputs[step.name] = answer.output
        return None

    async def _call(self, step: Step) -> Call:
        credentials = {each.name: await self._sources.secret(each) for each in step.credentials}
        self._secrecy.keep(credentials.values())
        call = Call(
            observed=self._observed,
            desired=self._states[-1],
            input=step.input,
            context=self._context,
            credentials=credentials,
            required=await fetched(step.resources, self._sources, self._limits),
            schemas=await schemas(step.schemas, self._sources),
        )
        return msgspec.structs.replace(call, tag=tag(call, self._print, self._desired_print))

    def _take_conditions(self, step: Step, answer: Answer) -> None:
        for each in answer.conditions:
            if each.type in SYSTEM:
                message = f'the condition "{each.type}" is Crossplane\'s own, and no function may set it'
                event = Event(type="Warning", reason=COMPOSE, message=message, detail=_detail(step))
                self._events.append(event)
                continue
            said = self._secrecy.told(each.message)
            self._conditions.append(Condition(each.type, each.status, each.reason, said, each.recipient))

    def _take_results(self, step: Step, answer: Answer) -> Result | None:
        """Keep the results up to a fatal one, which is returned."""
        for each in answer.results:
            told = self._secrecy.told(each.message)
            result = Result(each.severity, told, each.reason, each.recipient)
            self._results.append((step.name, result))
            if each.severity == "Fatal":
                return result
            self._events.append(_event(step, result))
        return None

    def _masked(self, failure: Failure) -> Failure:
        return msgspec.structs.replace(failure, message=self._secrecy.told(failure.message))

    def unusable(self, steps: Sequence[Step]) -> Failure | None:
        """The first of all desired resources that can never be applied, with the step that wanted it so."""
        for name, resource in sorted(self._states[-1].resources.items()):
            fault = fault_of(name, resource.resource)
            if fault:
                step = steps[culprit(name, self._states) - 1]
                return self._masked(failed(step, InvalidInput(fault)))
        return None

    def outcome(self, failure: Failure | None) -> Outcome:
        return Outcome(
            desired=State() if failure else self._states[-1],
            context=self._context,
            results=tuple(self._results),
            events=tuple(self._events),
            conditions=tuple(self._conditions),
            ttl_s=self._ttl_s,
            required=tuple(self._required.values()),
            outputs=self._outputs,
            failure=failure,
        )


def _detail(step: Step) -> str:
    return f'Pipeline step "{step.name}"'


def _event(step: Step, result: Result) -> Event:
    reason = result.reason or COMPOSE
    if result.severity == "Unspecified":
        # Somebody's newer protocol; that is for who looks after the composition, not for who claimed something.
        message = f"{_detail(step)} returned a result of unknown severity (assuming warning): {result.message}"
        return Event(type="Warning", reason=reason, message=message)
    kind = result.severity if result.severity == "Normal" else "Warning"
    return Event(type=kind, reason=reason, message=result.message, detail=_detail(step), recipient=result.recipient)
