"""What a rule is: one row that says for which operations it holds, and which error AWS gives where it does not.

Rules are pure: they see a call and what exists (`World`), and have an objection or none.

    RULES = (
        Rule("CreateDBInstance ModifyDBInstance", "InvalidParameterValue", between("BackupRetentionPeriod", 0, 35)),
    )
"""

import re
from collections.abc import Callable, Collection
from typing import Any, TypeAlias

import msgspec

from plumbline.providers.sandbox.calls import Call, Refusal, World

Objection: TypeAlias = str | Refusal | None
"""A message, which goes with the row's code; or a refusal with a code of its own; None: nothing to object."""

Check: TypeAlias = Callable[[Call, World], Objection]
Test: TypeAlias = Callable[[Any], bool]


class Rule(msgspec.Struct, frozen=True):
    operations: str
    """Names, with spaces between them."""
    code: str
    check: Check
    status: int = 0
    """Where the service's model does not say it."""


def objected(rule: Rule, call: Call, world: World) -> Refusal | None:
    objection = rule.check(call, world)
    if isinstance(objection, str):
        return Refusal(rule.code, objection, rule.status)
    return objection


def value_at(params: Any, path: str) -> Any:
    """The value at a path such as `Tags.Key`; of lists, the first one's."""
    for step in path.split("."):
        if isinstance(params, list):
            params = params[0] if params else None
        if not isinstance(params, dict):
            return None
        params = params.get(step)
    return params


def given(path: str, test: Test, message: str) -> Check:
    """Where the parameter is given, it has to pass. The message may say `{value}` and `{name}`."""

    def check(call: Call, _: World) -> Objection:
        value = value_at(call.params, path)
        return None if value is None or test(value) else message.format(value=value, name=path)

    return check


def matches(path: str, pattern: str, message: str) -> Check:
    return given(path, lambda value: bool(re.fullmatch(pattern, str(value), re.ASCII)), message)


def between(path: str, low: float, high: float, message: str = "") -> Check:
    text = message or "Invalid value {value} for parameter {name}: it must be between " + f"{low:g} and {high:g}."
    return given(path, lambda value: _number(value) is not None and low <= float(value) <= high, text)


def one_of(path: str, values: Collection[Any], message: str = "") -> Check:
    text = message or "Invalid value {value} for parameter {name}."
    return given(path, lambda value: value in values, text)


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
