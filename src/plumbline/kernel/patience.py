"""Steps that are refused what nobody tells us to be allowed later: they are tried again, with growing patience."""

from functools import wraps
from typing import Any

from plumbline.base.errors import Refused, Transient
from plumbline.kernel.reconciler import Step


def patient(*steps: Step) -> tuple[Step, ...]:
    """*steps*, for reconcilers that write where others decide.

    A namespace that is not there, a quota, a policy or somebody else's Secret is what they are refused for, and all of that
    ends without a change of the object that is looked at.
    """
    return tuple(map(_patient, steps))


def _patient(step: Step) -> Step:
    @wraps(step)
    async def tried(run: Any, at: Any) -> Any:
        try:
            return await step(run, at)
        except Refused as refused:
            waiting = Transient(refused.what, why=refused.why, hint=refused.hint)
            waiting.code = refused.code  # type: ignore[misc]  # it is still called what it is
            raise waiting from refused

    return tried
