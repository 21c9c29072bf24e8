"""Running the steps of a reconciler and turning whatever comes out of them, errors included, into one of three outcomes."""

from collections.abc import Iterable
from typing import Any

from plumbline.base.errors import BadDocument, Conflict, PlumblineError, Refused, Throttled, Transient
from plumbline.base.log import logger
from plumbline.kernel.conditions import Reported
from plumbline.kernel.outcomes import Done, Stop, Stuck, Wait
from plumbline.kernel.reconciler import Executed, Run, Step, report_of

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
        except Exception as error:  # a bug in a step is this object's problem, nobody else's
            if not isinstance(error, PlumblineError):
                log.exception("step crashed")
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
    if isinstance(error, BadDocument) and error.hint:  # whoever wrote it looks at the condition, and nowhere else
        return Stuck(_reason(error.code), f"{error}. {error.hint}")
    if isinstance(error, Refused):
        return Stuck(_reason(error.code), str(error))
    # The text of an unforeseen error may hold anything, also what must not be shown.
    return Wait("InternalError", f"An unforeseen {type(error).__name__}; the log has the details")


def _reason(code: str) -> str:
    return "".join(part.capitalize() for part in code.split("-"))
