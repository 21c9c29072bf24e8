"""Rules checked against objects, within a budget."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple, NoReturn

from plumbline.apiserver.cel.program import Program, evaluate
from plumbline.apiserver.cel.running import COST_LIMIT
from plumbline.apiserver.cel.values import NONE, Optional, Value
from plumbline.apiserver.crds.correlation import Correlated, items_by_key, key_of
from plumbline.apiserver.crds.rule_values import RuleValues
from plumbline.apiserver.crds.rules import Rule, Rules
from plumbline.apiserver.crds.structural import Node
from plumbline.apiserver.fielderrors import DUPLICATE, INVALID, FieldError, forbidden, invalid, required, shown
from plumbline.base.errors import EvaluationFailed, LimitExceeded
from plumbline.base.json import Json, JsonObject

BUDGET: Final = 10_000_000
"""What the rules of one object may cost together."""
_MESSAGE_BYTES: Final = 5 * 1024
_OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"


class _Spent(Exception):
    """Stops the walk: nothing further is checked. Never leaves this module."""


class Watch(NamedTuple):
    """Over a check: where it puts what is forgiven, when it is to give up, and what it may cost."""

    warnings: list[str]
    interrupted: Callable[[], bool] | None = None
    budget: int = BUDGET
    guarded: bool = False
    """Values may not be of the types that their schema declares."""


def rule_errors(
    rules: Rules,
    obj: Json,
    old: Json = None,
    *,
    prefix: str = "",
    correlated: Correlated | None = None,
    watch: Watch | None = None,
) -> list[FieldError]:
    """What the rules say about *obj*, which was *old* before. Faults of unchanged parts become warnings."""
    checking = _Checking(watch or Watch([]))
    with suppress(_Spent):
        checking.check(rules, obj, old, prefix, _Place(correlated, None))
    return checking.errors


class _Place(NamedTuple):
    """Where the walk is in the old object: here, or else the nearest place above that was there before."""

    here: Correlated | None
    above: Correlated | None

    @property
    def unchanged(self) -> bool:
        known = self.here or self.above
        return known is not None and known.unchanged

    def field(self, name: str) -> "_Place":
        if self.here is None:
            return self
        if self.above is None and name in {"apiVersion", "kind"}:
            return _Place(None, None)
        return _Place(self.here.field(name), self.here)

    def item(self, index: int) -> "_Place":
        return self if self.here is None else _Place(self.here.item(index), self.here)


class _Checking:
    def __init__(self, watch: Watch) -> None:
        self.errors: list[FieldError] = []
        self.warnings, self.interrupted, self.left, guarded = watch
        self.values = RuleValues(guarded=guarded)

    def check(self, rules: Rules, value: Json, old: Json, path: str, place: _Place) -> None:
        if value is None:
            return
        self._check_here(rules, value, old, path, place)
        if isinstance(value, list):
            self._check_items(rules, value, old, path, place)
        elif isinstance(value, dict):
            self._check_fields(rules, value, old if isinstance(old, dict) else {}, path, place)

    def _check_fields(self, rules: Rules, value: JsonObject, old: JsonObject, path: str, place: _Place) -> None:
        if rules.values is not None:
            for name, child in value.items():
                self.check(rules.values, child, old.get(name), f"{path}[{name}]", place.field(name))
        for name, child in value.items():
            below = rules.child(name)
            if below is not None:
                self.check(below, child, old.get(name), f"{path}.{name}" if path else name, place.field(name))

    def _check_items(self, rules: Rules, value: list[Json], old: Json, path: str, place: _Place) -> None:
        if rules.items is None:
            return
        node = rules.node
        before = items_by_key(old, node.map_keys) if node.list_type == "map" else {}
        for index, each in enumerate(value):
            key = key_of(each, node.map_keys) if before else None
            was = before.get(key) if key is not None else None
            self.check(rules.items, each, was, f"{path}[{index}]", place.item(index))

    def _check_here(self, rules: Rules, value: Json, old: Json, path: str, place: _Place) -> None:
        if not rules.compiled:
            return
        spot = _Spot(path, place, rules.node, value, old)
        if self.left <= 0:
            self._stop(invalid(spot.field, spot.node.type, _OUT_OF_BUDGET))
        for rule in rules.compiled:
            if rule.fault:
                self.errors.append(invalid(spot.field, spot.node.type, f"rule compile error: {rule.fault}"))
            elif rule.program is not None and not (rule.uses_old_self and old is None and not rule.optional_old_self):
                try:
                    self._check_rule(rule, rule.program, spot)
                except EvaluationFailed as failed:
                    self.errors.append(_failed_error(failed.what, rule, spot))

    def _check_rule(self, rule: Rule, program: Program, spot: "_Spot") -> None:
        held = self.values.of(spot.value, spot.node)
        if self._holds(rule, program, self._variables(rule, held, spot, optional=rule.optional_old_self), spot):
            return
        target = spot.path
        if rule.path:
            target = f"{spot.path}.{rule.path}" if spot.path else rule.path
        spot = spot._replace(path=target)
        detail = self._worded(rule, self._variables(rule, held, spot, optional=False), spot) or rule.detail
        self._add(_rule_error(rule, spot, detail), rule, spot)

    def _variables(self, rule: Rule, held: Value, spot: "_Spot", *, optional: bool) -> dict[str, Value]:
        variables = {"self": held}
        if rule.uses_old_self or (rule.message is not None and "oldSelf" in rule.message.uses):
            if spot.old is not None:
                before = self.values.of(spot.old, spot.node)
                variables["oldSelf"] = Optional(before) if optional else before
            elif optional:
                variables["oldSelf"] = NONE
        return variables

    def _holds(self, rule: Rule, program: Program, variables: dict[str, Value], spot: "_Spot") -> bool:
        try:
            answer = evaluate(program, variables, limit=COST_LIMIT, interrupted=self.interrupted)
        except LimitExceeded as exceeded:
            said = "no further validation rules will be run due to call cost exceeds limit for rule"
            self._stop(invalid(spot.field, spot.node.type, f"'{exceeded.what}': {said}: {rule.title}"))
        if answer.cost > self.left:
            self._stop(invalid(spot.field, spot.node.type, _OUT_OF_BUDGET))
        self.left -= answer.cost
        return answer.value is True

    def _stop(self, error: FieldError) -> NoReturn:
        self.errors.append(error)
        raise _Spent

    def _add(self, error: FieldError, rule: Rule, spot: "_Spot") -> None:
        if not rule.uses_old_self and spot.place.unchanged:
            self.warnings.append(str(error))
        else:
            self.errors.append(error)

    def _worded(self, rule: Rule, variables: dict[str, Value], spot: "_Spot") -> str:
        """What the rule's own expression says; empty where it says nothing that can be shown."""
        if rule.message is None:
            return ""
        said = ""
        try:
            answer = evaluate(rule.message, variables, limit=COST_LIMIT, interrupted=self.interrupted)
        except EvaluationFailed:
            return ""
        except LimitExceeded:
            said = "no further validation rules will be run due to call cost exceeds limit for messageExpression"
            self._add(invalid(spot.field, spot.node.type, f"{said}: {shown(rule.message.expression)}"), rule, spot)
            raise _Spent from None
        if answer.cost > self.left:
            said = "messageExpression evaluation failed due to running out of cost budget"
            self._add(
                invalid(spot.field, spot.node.type, f"{said}, no further validation rules will be run"), rule, spot
            )
            raise _Spent
        self.left -= answer.cost
        words = str(answer.value).strip()
        return "" if len(words.encode()) > _MESSAGE_BYTES or "\n" in words else words


class _Spot(NamedTuple):
    """A value whose rules are checked."""

    path: str
    place: _Place
    node: Node
    value: Json
    old: Json

    @property
    def field(self) -> str:
        return self.path or "<nil>"


def _failed_error(what: str, rule: Rule, spot: _Spot) -> FieldError:
    if what.startswith("no such overload"):
        said = "call arguments did not match a supported operator, function or macro signature for rule"
        return invalid(spot.field, spot.node.type, f"'{what}': {said}: {rule.title}")
    return invalid(spot.field, spot.node.type, f"{what} evaluating rule: {rule.title}")


def _rule_error(rule: Rule, spot: _Spot, detail: str) -> FieldError:
    reason, field = rule.source.get("reason"), spot.field
    omitted = spot.node.type in {"object", "array"}
    if reason == "FieldValueForbidden":
        return forbidden(field, detail)
    if reason == "FieldValueRequired":
        return required(field, detail)
    if reason == "FieldValueDuplicate":
        return FieldError(DUPLICATE, field, "Duplicate value" if omitted else f"Duplicate value: {shown(spot.value)}")
    return FieldError(INVALID, field, f"Invalid value: {detail}") if omitted else invalid(field, spot.value, detail)
