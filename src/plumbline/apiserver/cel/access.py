"""Reaching into values: fields, keys and indices."""

from plumbline.apiserver.cel.running import Run, Step
from plumbline.apiserver.cel.syntax import Call, Expr, Ident, Select
from plumbline.apiserver.cel.types import Type
from plumbline.apiserver.cel.values import NONE, Optional, Uint, Value, type_name
from plumbline.base.errors import EvaluationFailed


def attribute(expr: Expr) -> bool:
    """Whether *expr* is a path: a variable, and what is reached from it."""
    return isinstance(expr, Ident | Select) or (isinstance(expr, Call) and expr.function in {"_[_]", "_[?_]"})


def planned_select(expr: Select, operand: Step, name: str, given: Type) -> Step:
    if expr.test:
        return _presence(operand, name)
    cost = 1 if attribute(expr.operand) else 2
    if expr.optional or given.name == "optional_type":
        return _optional_field(operand, name, cost - 1)

    def select(run: Run) -> Value:
        value = operand(run)
        run.cost += cost
        try:
            return value[name]
        except KeyError:
            raise EvaluationFailed(f"no such key: {name}") from None
        except TypeError:
            raise EvaluationFailed(f"no such key: {name}") from None

    return select


def _unselectable() -> EvaluationFailed:
    return EvaluationFailed("no such overload")


def _presence(operand: Step, name: str) -> Step:
    def present(run: Run) -> bool:
        value = operand(run)
        if isinstance(value, Optional):
            return value.present and isinstance(value.held, dict) and name in value.held
        return isinstance(value, dict) and name in value

    return present


def _optional_field(operand: Step, name: str, cost: int) -> Step:
    def select(run: Run) -> Optional:
        value = operand(run)
        run.cost += cost
        if isinstance(value, Optional):
            value = value.held
        if not isinstance(value, dict) or name not in value:
            return NONE
        run.cost += 1
        return Optional(value[name])

    return select


def _item(value: Value, key: Value) -> Value:
    if isinstance(value, list):
        index = _whole(key)
        if index is None:
            raise EvaluationFailed(f"unsupported index type '{type_name(key)}' in list")
        if not 0 <= index < len(value):
            raise EvaluationFailed(f"index out of bounds: {index}")
        return value[index]
    if not isinstance(value, dict):
        raise _unselectable()
    try:
        return value[key]
    except (KeyError, TypeError):
        raise EvaluationFailed(f"no such key: {_shown(key)}") from None


def _whole(key: Value) -> int | None:
    if type(key) is int or type(key) is Uint:
        return int(key)
    return int(key) if isinstance(key, float) and key.is_integer() else None


def _shown(key: Value) -> str:
    return {True: "true", False: "false"}.get(key, str(key)) if isinstance(key, bool) else str(key)


def indexed(call: Call, operand: Step, index: Step) -> Step:
    cost = 1 if attribute(call.args[0]) else 2
    free = attribute(call.args[1])

    def access(run: Run) -> Value:
        value = operand(run)
        key = index(run)
        run.cost += cost - free
        if isinstance(value, Optional):
            return Optional(_item(value.held, key)) if value.present else NONE
        return _item(value, key)

    return access


def optionally_indexed(call: Call, operand: Step, index: Step) -> Step:
    cost = 0 if attribute(call.args[0]) else 1

    def access(run: Run) -> Optional:
        value = operand(run)
        key = index(run)
        run.cost += cost
        if isinstance(value, Optional):
            if not value.present:
                return NONE
            value = value.held
        try:
            found = _item(value, key)
        except EvaluationFailed as failed:
            if failed.what.startswith("unsupported"):
                raise
            return NONE
        run.cost += 1
        return Optional(found)

    return access
