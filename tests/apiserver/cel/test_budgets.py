import pytest
from tests.apiserver.cel.worst_costs import SCHEMA, WORST

from plumbline.apiserver.cel.declarations import Declarations
from plumbline.apiserver.cel.estimating import worst_cost
from plumbline.apiserver.cel.parser import parsed
from plumbline.apiserver.cel.program import compile_expression, evaluate
from plumbline.apiserver.cel.types import INT, list_of
from plumbline.apiserver.crds.rule_sizes import rule_size
from plumbline.apiserver.crds.rule_types import RuleTypes
from plumbline.apiserver.crds.structural import compiled_schema
from plumbline.base.errors import BadExpression, LimitExceeded

LISTS = Declarations({"l": list_of(INT)})
CUBIC = compile_expression("l.all(a, l.all(b, l.all(c, a + b + c >= 0)))", LISTS)


def test_what_costs_too_much_is_given_up():
    with pytest.raises(LimitExceeded, match="actual cost limit exceeded"):
        evaluate(CUBIC, {"l": list(range(200))})


def test_errors_that_are_forgiven_do_not_hide_the_cost():
    program = compile_expression("l.all(a, l.all(b, l.all(c, 1 / 0 == a || true)))", LISTS)
    with pytest.raises(LimitExceeded):
        evaluate(program, {"l": list(range(200))})


def test_an_evaluation_can_be_interrupted():
    asked = []

    def interrupted():
        asked.append(True)
        return len(asked) == 3

    with pytest.raises(LimitExceeded, match="operation interrupted"):
        evaluate(CUBIC, {"l": list(range(200))}, interrupted=interrupted)
    assert len(asked) == 3


def test_a_limit_is_kept_to_the_unit():
    program = compile_expression("l.all(x, x > 0)", LISTS)
    cost = evaluate(program, {"l": [1, 2]}).cost
    assert evaluate(program, {"l": [1, 2]}, limit=cost).value
    with pytest.raises(LimitExceeded):
        evaluate(program, {"l": [1, 2]}, limit=cost - 1)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("(" * 200 + "1" + ")" * 200, "parentheses"),
        ("1" + " + 1" * 500, "operators in a row"),
        ("[" * 200, "lists"),
        ("x" * 200_000, "length"),
    ],
)
def test_hostile_expressions_are_refused(expression, why):
    with pytest.raises(BadExpression):
        parsed(expression)


def test_logical_chains_may_be_long():
    assert evaluate(compile_expression("true" + " && true" * 2000, LISTS), {}).value


ROOT = compiled_schema(SCHEMA)
TYPES = RuleTypes()
SELF = TYPES.of(ROOT, resource=True)
RULES = Declarations({"self": SELF, "oldSelf": SELF}, TYPES.structs)


@pytest.mark.parametrize(("rule", "cost"), WORST, ids=[each[0][:60] for each in WORST])
def test_the_worst_cost_of_a_rule_is_known_beforehand(rule, cost):
    assert worst_cost(compile_expression(rule, RULES), rule_size(ROOT, resource=True)) == cost
