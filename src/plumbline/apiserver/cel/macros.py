"""Calls that are not calls: their arguments are looked at before they are evaluated."""

from typing import Final

from plumbline.apiserver.cel.issues import Issues
from plumbline.apiserver.cel.syntax import Bind, Call, Expr, Fold, Ident, ListExpr, Select

_ACCUMULATORS: Final = frozenset(("__result__", "@result"))
_FOLDS: Final = {
    "all": "all", "exists": "exists", "exists_one": "exists_one", "existsOne": "exists_one", "map": "map",
    "filter": "filter", "transformList": "list", "transformMap": "map_values", "transformMapEntry": "map_entries",
}  # fmt: skip
_SHAPES: Final = {
    "all": {2: 1, 3: 2}, "exists": {2: 1, 3: 2}, "exists_one": {2: 1, 3: 2}, "existsOne": {3: 2},
    "map": {2: 1, 3: 1}, "filter": {2: 1}, "transformList": {3: 2, 4: 2}, "transformMap": {3: 2, 4: 2},
    "transformMapEntry": {3: 2, 4: 2},
}  # fmt: skip
"""For each macro: how many of its arguments are names, by how many arguments there are."""
_PREDICATES: Final = frozenset(("all", "exists", "exists_one", "filter"))
SORTED: Final = "@sortBy"


def expanded_global(call: Call, issues: Issues) -> Expr:
    if call.function != "has" or len(call.args) != 1:
        return call
    tested = call.args[0]
    if not isinstance(tested, Select) or tested.optional:
        issues.add(tested.at, "invalid argument to has() macro")
        return call
    return Select(tested.at, tested.operand, tested.field, test=True)


def expanded_member(call: Call, issues: Issues) -> Expr:
    shape = _SHAPES.get(call.function, {}).get(len(call.args))
    if shape is not None:
        return _fold(call, shape, issues)
    if call.target is None or len(call.args) != 2:  # noqa: PLR2004 - a name and an expression
        return call
    if call.function in {"optMap", "optFlatMap"}:
        return _optional_map(call, call.target, issues)
    if call.function == "sortBy":
        return _sort_by(call, call.target, issues)
    return call


def _fold(call: Call, names: int, issues: Issues) -> Expr:
    variables = [_variable(arg, issues) for arg in call.args[:names]]
    if call.target is None or None in variables:
        return call
    first, second = variables[0] or "", (variables[1] or "") if names > 1 else ""
    if second and first == second:
        issues.add(call.args[1].at, f"duplicate variable name: {first}")
        return call
    rest = call.args[names:]
    kind = _FOLDS[call.function]
    predicate = rest[0] if kind in _PREDICATES or len(rest) > 1 else None
    transform = None if kind in _PREDICATES else rest[-1]
    return Fold(call.at, kind, call.target, first, second, predicate, transform)


def _variable(arg: Expr, issues: Issues) -> str | None:
    if not isinstance(arg, Ident):
        issues.add(arg.at, "argument must be a simple name")
        return None
    if arg.name in _ACCUMULATORS:
        issues.add(arg.at, "iteration variable overwrites accumulator variable")
        return None
    return arg.name


def _optional_map(call: Call, target: Expr, issues: Issues) -> Expr:
    name = call.args[0]
    if not isinstance(name, Ident):
        issues.add(name.at, f"{call.function}() variable name must be a simple identifier")
        return call
    return Bind(call.at, call.function, target, name.name, call.args[1])


def _sort_by(call: Call, target: Expr, issues: Issues) -> Expr:
    variable = call.args[0]
    if not isinstance(variable, Ident):
        issues.add(variable.at, "argument is not an identifier")
        return call
    name = variable.name
    if not isinstance(target, ListExpr | Select | Ident | Fold | Bind | Call):
        said = "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        issues.add(target.at, said)
        return call
    keys = Fold(call.at, "map", Ident(call.at, SORTED), name, "", None, call.args[1])
    body = Call(call.at, "@sortByAssociatedKeys", [keys], Ident(call.at, SORTED))
    return Bind(call.at, "let", target, SORTED, body)
