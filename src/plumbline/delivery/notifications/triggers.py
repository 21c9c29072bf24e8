"""Conditions of triggers, worked out for one Application. Pure."""

import base64
import hashlib
from collections.abc import Mapping

from plumbline.base.errors import BadExpression
from plumbline.base.log import logger
from plumbline.delivery.notifications.configuration import Condition, Configuration
from plumbline.delivery.notifications.expressions import Expression, compiled
from plumbline.delivery.notifications.state import Result
from plumbline.delivery.notifications.stock import TRIGGERS
from plumbline.delivery.settings.problems import Problem
from plumbline.gotemplate.bounds import Bounds, Budget
from plumbline.gotemplate.printing import printed
from plumbline.gotemplate.values import Failed, Value

log = logger(__name__)


class _Compiled:
    def __init__(self, number: int, condition: Condition) -> None:
        """Raises BadExpression."""
        hashed = hashlib.sha1(condition.when.encode(), usedforsecurity=False).digest()
        self.key = f"[{number}].{base64.urlsafe_b64encode(hashed).decode().rstrip('=')}"
        self.templates = condition.send
        self.when = compiled(condition.when or "false")
        self.once_per: Expression | None = compiled(condition.once_per) if condition.once_per else None


class Triggers:
    """The installation's, and the stock ones where it has none of the same name. One that cannot be read is a problem of its own."""

    def __init__(self, configuration: Configuration) -> None:
        self._conditions: dict[str, tuple[_Compiled, ...]] = {}
        problems: list[Problem] = []
        for name, conditions in {**TRIGGERS, **configuration.triggers}.items():
            try:
                self._conditions[name] = tuple(_Compiled(at, each) for at, each in enumerate(conditions))
            except BadExpression as fault:
                problems.append(Problem(f"trigger.{name}", str(fault)))
        self.problems = tuple(problems)

    def __contains__(self, name: str) -> bool:
        return name in self._conditions

    def timed(self, name: str) -> bool:
        """Whether it may come true without anything having changed."""
        return any(each.when.timed for each in self._conditions.get(name, ()))

    def run(self, name: str, variables: Mapping[str, Value]) -> list[Result]:
        """What came of each condition; one that cannot be worked out does not hold."""
        return [_result(name, each, variables) for each in self._conditions[name]]


def _result(name: str, condition: _Compiled, variables: Mapping[str, Value]) -> Result:
    held, once_per = False, ""
    try:
        held = condition.when.evaluate(variables) is True
    except Failed as fault:
        log.debug("condition undecided", trigger=name, error=str(fault))
    if held and condition.once_per is not None:
        try:
            once_per = printed(condition.once_per.evaluate(variables), Budget(Bounds()))
        except Failed as fault:
            log.warning("oncePer undecided", trigger=name, error=str(fault))
    return Result(condition.key, held, condition.templates, once_per)
