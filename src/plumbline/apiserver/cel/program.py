"""Expressions compiled once and evaluated often."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from plumbline.apiserver.cel.checker import Checked, checked
from plumbline.apiserver.cel.declarations import Declarations
from plumbline.apiserver.cel.literals import check_literals
from plumbline.apiserver.cel.parser import parsed
from plumbline.apiserver.cel.planner import Planner
from plumbline.apiserver.cel.running import COST_LIMIT, Run, Step
from plumbline.apiserver.cel.syntax import Expr
from plumbline.apiserver.cel.types import Type
from plumbline.apiserver.cel.values import Value
from plumbline.base.errors import EvaluationFailed


class Program(NamedTuple):
    """`uses` are the declared variables that the expression mentions; `tree` and `found` are kept for estimates."""

    expression: str
    type: Type
    uses: frozenset[str]
    step: Step
    slots: int
    tree: Expr
    found: Checked


class Evaluated(NamedTuple):
    value: Value
    cost: int


def compile_expression(expression: str, declarations: Declarations) -> Program:
    """Raises `BadExpression` that says what is wrong and marks where."""
    tree = parsed(expression)
    found = checked(tree, expression, declarations)
    check_literals(tree, expression, found)
    planner = Planner(found)
    step = planner.plan(tree)
    return Program(expression, found.type(tree), frozenset(found.variables), step, planner.slots, tree, found)


def evaluate(
    program: Program,
    variables: Mapping[str, Value],
    *,
    limit: int = COST_LIMIT,
    interrupted: Callable[[], bool] | None = None,
) -> Evaluated:
    """Raises `EvaluationFailed` where there is no answer, `LimitExceeded` where it would cost more than *limit*.

    Whoever evaluates expressions of others on the event loop says through *interrupted* when to give up; that too is
    `LimitExceeded`.
    """
    run = Run(variables, program.slots, limit, interrupted)
    try:
        value = program.step(run)
    except (TypeError, AttributeError, ValueError, ArithmeticError):
        # The last resort for variables that do not have their declared types.
        raise EvaluationFailed("no such overload") from None
    run.spend(0)
    return Evaluated(value, run.cost)
