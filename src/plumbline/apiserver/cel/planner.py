"""From checked trees to functions that evaluate them."""

from collections.abc import Callable
from typing import Final

from plumbline.apiserver.cel.access import attribute, indexed, optionally_indexed, planned_select
from plumbline.apiserver.cel.checker import Checked
from plumbline.apiserver.cel.declarations import TYPE_NAMES
from plumbline.apiserver.cel.functions import Overload, effort
from plumbline.apiserver.cel.loops import planned_fold
from plumbline.apiserver.cel.running import Constant, Run, Step
from plumbline.apiserver.cel.syntax import Bind, Call, Expr, Fold, Ident, ListExpr, Literal, MapExpr, Select
from plumbline.apiserver.cel.types import Type
from plumbline.apiserver.cel.values import NONE, Optional, Value, equal, type_name, type_of_value
from plumbline.base.errors import BadExpression, EvaluationFailed
from plumbline.base.regex import compiled

_FOLDED: Final = frozenset(("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"))
"""Conversions of constants are done once, when the expression is compiled."""
_COSTLY: Final = frozenset(
    ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "lowerAscii", "upperAscii", "substring", "trim",
     "replace", "split", "join", "find", "findAll", "containsIP", "containsCIDR", "validate", "semver", "isSemver")
)  # fmt: skip
"""Functions that cost the same whichever of their overloads is called; the others cost 1 where that is not known."""
_LIST_COST: Final = 10
_MAP_COST: Final = 30


class Planner:
    def __init__(self, found: Checked) -> None:
        self.found = found
        self.slots = 0
        self.names: list[tuple[str, int]] = []

    def plan(self, expr: Expr) -> Step:
        if isinstance(expr, Literal):
            return Constant(expr.value)
        if isinstance(expr, Ident):
            return self._ident(expr.name, expr)
        if isinstance(expr, Select):
            return self._ident(expr.qualified, expr) if expr.qualified else self._select(expr)
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, ListExpr):
            return self._list(expr)
        if isinstance(expr, MapExpr):
            return self._map(expr)
        if isinstance(expr, Fold):
            return planned_fold(expr, self)
        if isinstance(expr, Bind):
            return self._bind(expr)
        raise EvaluationFailed(f"{expr.name} cannot be made")

    def slot(self, name: str) -> int:
        """A place for the variable *name*, which is known until `forget`."""
        self.names.append((name, self.slots))
        self.slots += 1
        return self.slots - 1

    def forget(self, count: int = 1) -> None:
        del self.names[-count:]

    def _ident(self, name: str, expr: Expr) -> Step:
        for known, slot in reversed(self.names):
            if known == name:
                return _slot_step(slot)
        named = self.found.named_types.get(id(expr))
        if named is not None:
            return Constant(TYPE_NAMES[named])
        return _variable_step(name.removeprefix("."))

    def _select(self, expr: Select) -> Step:
        name = self.found.fields.get(id(expr), expr.field)
        return planned_select(expr, self.plan(expr.operand), name, self.found.type(expr.operand))

    def _call(self, call: Call) -> Step:
        special = _SPECIAL.get(call.function)
        if special is not None:
            return special(self, call)
        args = [self.plan(arg) for arg in call.args]
        if call.target is not None:
            args.insert(0, self.plan(call.target))
        given = [self.found.type(arg) for arg in ([call.target] if call.target is not None else []) + call.args]
        overloads = self.found.overloads.get(id(call), ())
        if call.function in _FOLDED and all(isinstance(arg, Constant) for arg in args):
            return _folded(_dispatched(call.function, overloads, args))
        if call.function in {"find", "findAll"} and isinstance(args[1], Constant):
            _check_pattern(args[1].value)
        if call.function == "@in" and isinstance(args[1], Constant) and isinstance(args[1].value, list):
            return _member(args[0], args[1].value)
        if len(overloads) == 1 and not any(map(_dynamic, given)):
            return _direct(overloads[0], args)
        return _dispatched(call.function, overloads, args)

    def and_step(self, call: Call) -> Step:
        return _logical([self.plan(arg) for arg in call.args], decisive=False)

    def or_step(self, call: Call) -> Step:
        return _logical([self.plan(arg) for arg in call.args], decisive=True)

    def conditional_step(self, call: Call) -> Step:
        condition, then, otherwise = map(self.plan, call.args)
        _, then_less, otherwise_less = map(attribute, call.args)

        def conditional(run: Run) -> Value:
            decided = condition(run)
            if decided is True:
                run.cost -= then_less
                return then(run)
            if decided is False:
                run.cost -= otherwise_less
                return otherwise(run)
            raise EvaluationFailed("no such overload")

        return conditional

    def index_step(self, call: Call) -> Step:
        return indexed(call, *map(self.plan, call.args))

    def optional_index_step(self, call: Call) -> Step:
        return optionally_indexed(call, *map(self.plan, call.args))

    def or_value_step(self, call: Call) -> Step:
        return self._alternative(call, lambda optional: optional.held)

    def or_optional_step(self, call: Call) -> Step:
        return self._alternative(call, lambda optional: optional)

    def _alternative(self, call: Call, take: Callable[[Optional], Value]) -> Step:
        """The argument is looked at only where the optional holds nothing."""
        if call.target is None:
            raise EvaluationFailed(f"no such overload: {call.function}")
        optional, otherwise = self.plan(call.target), self.plan(call.args[0])

        def alternative(run: Run) -> Value:
            first = optional(run)
            if not isinstance(first, Optional):
                return first
            return take(first) if first.present else otherwise(run)

        return alternative

    def _list(self, expr: ListExpr) -> Step:
        items = [self.plan(each) for each in expr.items]
        optional = expr.optional
        if not optional and all(isinstance(item, Constant) for item in items):
            return Constant([item.value for item in items if isinstance(item, Constant)])

        def made(run: Run) -> list[Value]:
            run.cost += _LIST_COST
            if not optional:
                return [item(run) for item in items]
            values = ((index, item(run)) for index, item in enumerate(items))
            return [
                value.held if index in optional else value
                for index, value in values
                if index not in optional or value.present
            ]

        return made

    def _map(self, expr: MapExpr) -> Step:
        entries = [(self.plan(entry.key), self.plan(entry.value), entry.optional) for entry in expr.entries]
        constants = [
            (key.value, value.value)
            for key, value, optional in entries
            if isinstance(key, Constant) and isinstance(value, Constant) and not optional
        ]
        if len(constants) == len(entries):
            return Constant(dict(constants))

        def made(run: Run) -> dict[Value, Value]:
            run.cost += _MAP_COST
            result: dict[Value, Value] = {}
            for key, value, optional in entries:
                name, held = key(run), value(run)
                if optional:
                    if not held.present:
                        continue
                    held = held.held
                if name in result:
                    raise EvaluationFailed(f"Failed with repeated key: {name}")
                result[name] = held
            return result

        return made

    def _bind(self, bind: Bind) -> Step:
        operand = self.plan(bind.operand)
        slot = self.slot(bind.name)
        body = self.plan(bind.body)
        self.forget()
        if bind.kind == "let":
            return _let(operand, slot, body)
        return _mapped(operand, slot, body, wraps=bind.kind == "optMap")


def _folded(step: Step) -> Constant:
    try:
        return Constant(step(Run({}, 0)))
    except EvaluationFailed as failed:
        raise BadExpression(f"program instantiation failed: {failed.what}") from None


def _member(item: Step, known: list[Value]) -> Step:
    """Whether a value is one of those known beforehand costs nothing."""

    def member(run: Run) -> bool:
        value = item(run)
        return any(equal(value, each) for each in known)

    return member


def _check_pattern(pattern: Value) -> None:
    try:
        compiled(str(pattern))
    except BadExpression as bad:
        raise BadExpression(f"program instantiation failed: {bad.what}") from None


def _let(operand: Step, slot: int, body: Step) -> Step:
    def let(run: Run) -> Value:
        run.slots[slot] = operand(run)
        return body(run)

    return let


def _mapped(operand: Step, slot: int, body: Step, *, wraps: bool) -> Step:
    def mapped(run: Run) -> Value:
        spent = run.cost
        optional = operand(run)
        if not isinstance(optional, Optional):
            raise EvaluationFailed(f"no such overload: hasValue({type_name(optional)})")
        if not optional.present:
            run.spend(2)
            return NONE
        run.spend(2 + wraps + run.cost - spent)
        run.slots[slot] = optional.held
        result = body(run)
        return Optional(result) if wraps else result

    return mapped


def _slot_step(slot: int) -> Step:
    def read(run: Run) -> Value:
        run.cost += 1
        return run.slots[slot]

    return read


def _variable_step(name: str) -> Step:
    def read(run: Run) -> Value:
        run.cost += 1
        try:
            return run.variables[name]
        except KeyError:
            raise EvaluationFailed(f"no such attribute(s): {name}") from None

    return read


def _logical(terms: list[Step], *, decisive: bool) -> Step:
    """One decisive term decides, whatever the others are, even where they fail."""

    def logical(run: Run) -> Value:
        failure: EvaluationFailed | None = None
        for term in terms:
            try:
                value = term(run)
            except EvaluationFailed as failed:
                failure = failure or failed
                continue
            if value is decisive:
                return decisive
            if not isinstance(value, bool):
                failure = failure or EvaluationFailed("no such overload")
        if failure is not None:
            raise failure
        return not decisive

    return logical


def _dynamic(each: Type) -> bool:
    return each.kind in {"dyn", "param"} or any(map(_dynamic, each.params))


def _direct(overload: Overload, args: list[Step]) -> Step:
    call, cost = overload.call, overload.cost
    if cost is None and len(args) == 2:  # noqa: PLR2004 - most operators
        left, right = args

        def binary(run: Run) -> Value:
            run.cost += 1
            return call(left(run), right(run))

        return binary

    def called(run: Run) -> Value:
        values = tuple([arg(run) for arg in args])
        run.spend(1 if cost is None else cost(values))
        return call(*values)

    return called


def _dispatched(function: str, overloads: tuple[Overload, ...], args: list[Step]) -> Step:
    """Where types are known only now, the first overload that takes the values is called."""

    def called(run: Run) -> Value:
        values = tuple([arg(run) for arg in args])
        for overload in overloads:
            if len(overload.args) == len(values) and all(map(_takes, overload.args, values)):
                known = overload.cost is not None and (len(overloads) == 1 or function in _COSTLY)
                run.spend(overload.cost(values) if overload.cost is not None and known else 1 + effort(*values))
                return overload.call(*values)
        raise _no_overload(function, values)

    return called


def _no_overload(function: str, values: tuple[Value, ...]) -> EvaluationFailed:
    """The server says more or less about it, depending on how it calls the function."""
    if function in {"size", "_%_"}:
        return EvaluationFailed(f"no such overload: {function}")
    if function[0] in "_@!-" or function in {"startsWith", "endsWith", "contains", "matches"}:
        return EvaluationFailed("no such overload")
    return EvaluationFailed(f"no such overload: {function}({', '.join(map(type_name, values))})")


def _takes(wanted: Type, value: Value) -> bool:
    if wanted.kind in {"dyn", "param"}:
        return True
    given = type_of_value(value)
    if wanted.kind == "list" and given.kind == "list":
        return all(_takes(wanted.params[0], each) for each in value)
    return given.kind == wanted.kind and (wanted.kind not in {"struct", "opaque"} or given.name == wanted.name)


_SPECIAL: Final[dict[str, Callable[[Planner, Call], Step]]] = {
    "_&&_": Planner.and_step, "_||_": Planner.or_step, "_?_:_": Planner.conditional_step, "_[_]": Planner.index_step,
    "_[?_]": Planner.optional_index_step, "or": Planner.or_optional_step, "orValue": Planner.or_value_step,
}  # fmt: skip
