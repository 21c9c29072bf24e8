"""Match conditions: expressions that say for each request whether a webhook is asked at all."""

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from plumbline.apiserver import statuses
from plumbline.apiserver.webhooks.hooks import Hook
from plumbline.apiserver.webhooks.matching import Invocation
from plumbline.apiserver.webhooks.reviews import request_of
from plumbline.apiserver.webhooks.subjects import Subject
from plumbline.base.errors import BadExpression, EvaluationFailed, LimitExceeded
from plumbline.base.json import JsonObject

if TYPE_CHECKING:
    from plumbline.apiserver.cel.program import Program

BUDGET: Final = 2_500_000
"""What all conditions of one webhook may cost together."""


def met(invocation: Invocation, subject: Subject, obj: JsonObject | None, old: JsonObject | None) -> bool:
    """Whether all conditions hold; raises RequestRefused where they cannot be told and the webhook must not be missed."""
    hook = invocation.hook
    if not hook.conditions:
        return True
    failures: list[str] = []
    variables = {"object": obj, "oldObject": old, "request": request_of(subject, invocation, "")}
    left = BUDGET
    for condition in hook.conditions:
        try:
            value, cost = _evaluated(condition.expression, variables, left)
        except (BadExpression, EvaluationFailed, LimitExceeded) as failed:
            failures.append(f"expression '{condition.expression}' resulted in error: {failed}")
            continue
        left -= cost
        if value is False:
            return False
    return _without_failures(failures, hook, subject)


def _without_failures(failures: list[str], hook: Hook, subject: Subject) -> bool:
    if not failures:
        return True
    if hook.ignores_failure:
        return False
    resource = subject.resource
    raise statuses.forbidden(resource.group, resource.resource, subject.name, statuses.aggregated(failures))


def _evaluated(expression: str, variables: JsonObject, limit: int) -> tuple[object, int]:
    from plumbline.apiserver.cel.program import evaluate  # noqa: PLC0415 - few planes ever need the language

    return evaluate(_program(expression), variables, limit=limit)


@lru_cache(maxsize=512)
def _program(expression: str) -> "Program":
    from plumbline.apiserver.cel.declarations import Declarations  # noqa: PLC0415 - same
    from plumbline.apiserver.cel.program import compile_expression  # noqa: PLC0415 - same
    from plumbline.apiserver.cel.types import DYN  # noqa: PLC0415 - same

    return compile_expression(expression, Declarations(dict.fromkeys(("object", "oldObject", "request"), DYN)))
