"""One step: its function is asked, shown what it asks for, and asked again until it asks for nothing else."""

import asyncio
from collections.abc import Mapping

import msgspec

from plumbline.base.errors import EvaluationFailed, LimitExceeded, PlumblineError, TimedOut
from plumbline.base.json import JsonObject
from plumbline.base.log import logger
from plumbline.composition.functions.values import (
    Answer,
    Call,
    Function,
    Requirements,
    Resource,
    SchemaSelector,
    Selector,
)
from plumbline.composition.pipeline.checks import check
from plumbline.composition.pipeline.limits import Limits
from plumbline.composition.pipeline.sources import Sources

_log = logger("composition")


async def asked(function: Function, call: Call, sources: Sources, limits: Limits) -> tuple[Answer, Requirements]:
    """Its last answer, and what it asked for before; what the call requires at first is shown every time.

    Raises from the error tree, whatever the function does.
    """
    known = Requirements()
    first = call
    for _ in range(limits.reruns + 1):
        answer = await _run(function, call, limits)
        check(answer, limits)
        if answer.requirements == known or any(result.severity == "Fatal" for result in answer.results):
            return answer, known
        known = answer.requirements
        call = msgspec.structs.replace(
            call,
            required={**first.required, **await fetched(known.resources, sources, limits)},
            extra=await fetched(known.extra_resources, sources, limits),
            schemas={**first.schemas, **await schemas(known.schemas, sources)},
            context=answer.context,
        )
    raise EvaluationFailed(
        f"requirements didn't stabilize after the maximum number of iterations ({limits.reruns})",
        hint="The function asks for something else each time that it is run; it should ask for the same once it has it.",
    )


async def fetched(
    wanted: Mapping[str, Selector], sources: Sources, limits: Limits
) -> Mapping[str, tuple[Resource, ...]]:
    found: dict[str, tuple[Resource, ...]] = {}
    left = limits.required
    for name, selector in wanted.items():
        found[name] = tuple(await sources.fetch(selector))
        left -= len(found[name])
        if left < 0:
            raise LimitExceeded(f"fetching resources for {name}: these are more than {limits.required} objects")
    return found


async def schemas(wanted: Mapping[str, SchemaSelector], sources: Sources) -> Mapping[str, JsonObject]:
    return {name: await sources.schema(selector) for name, selector in wanted.items()}


async def _run(function: Function, call: Call, limits: Limits) -> Answer:
    try:
        async with asyncio.timeout(limits.call_s) as deadline:
            return await function.run(call)
    except PlumblineError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a function does is told, and ends its own step alone
        if isinstance(error, TimeoutError) and deadline.expired():
            raise TimedOut(f"it did not answer within {limits.call_s:g} s") from None
        # Its words may hold anything that it was shown, so only the log has them, which knows what to leave out.
        _log.exception("function crashed")
        raise EvaluationFailed("it crashed", why=f"{type(error).__name__}, see the log") from None
