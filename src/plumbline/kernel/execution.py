"""Running the steps of a reconciler and turning whatever comes out of them, errors included, into one of three outcomes."""

import traceback
from collections.abc import Iterable
from typing import Any, Final

from plumbline.base.errors import Conflict, Refused, Throttled, Transient
from plumbline.base.log import logger
from plumbline.kernel.conditions import Reported
from plumbline.kernel.outcomes import Done, Stop, Stuck, Wait
from plumbline.kernel.reconciler import Executed, Run, Step, report_of

_FRAMES: Final = 40

log = logger(__name__)


async def execute(run: Run[Any, Any], steps: Iterable[Step]) -> Executed:
    """Run *steps* in order until one stops. Conflict is let through: the view was old, and nothing is to be reported."""
    state: Any = None
    held: list[str] = []
    for step in steps:
        report = report_of(step)
        outcome, failed = None, False
        try:
            result = await step(run, state)
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001 - a bug in a step is this object's problem, nobody else's
            outcome, failed = _from_error(error), not isinstance(error, Refused | Throttled)
        else:
            if isinstance(result, Done | Wait | Stuck):
                outcome = result
            else:
                state = result
        if outcome is not None:
            reached = (*held, report) if report and isinstance(outcome, Done) else tuple(held)
            return Executed(Reported(reached, report, outcome), state, failed)
        if report:
            held.append(report)
    return Executed(Reported(tuple(held), "", Done()), state, failed=False)


def _from_error(error: Exception) -> Stop:
    if isinstance(error, Throttled):
        return Wait(_reason(error.code), str(error), error.after_s)
    if isinstance(error, Transient):
        return Wait(_reason(error.code), str(error))
    if isinstance(error, Refused):
        return Stuck(_reason(error.code), str(error))
    # The text of an unforeseen error may hold anything, also what must not be shown: not even the log has it.
    log.error("step crashed", error=type(error).__name__, at=_frames(error))
    return Wait("InternalError", f"An unforeseen {type(error).__name__}; the log has the details")


def _frames(error: BaseException) -> list[str]:
    """Where it was raised, the innermost last, with those that it came of before it."""
    below = error.__cause__ or error.__context__
    before = [*_frames(below), f"then {type(error).__name__}"] if below is not None else []
    frames = traceback.extract_tb(error.__traceback__)
    return [*before, *(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames)][-_FRAMES:]


def _reason(code: str) -> str:
    return "".join(part.capitalize() for part in code.split("-"))
