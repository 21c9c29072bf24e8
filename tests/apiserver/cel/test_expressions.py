import pytest
from tests.apiserver.cel.corpus import EVALUATED, FAILING, REFUSED, VARIABLES

from plumbline.apiserver.cel.declarations import Declarations, Field
from plumbline.apiserver.cel.program import compile_expression, evaluate
from plumbline.apiserver.cel.times import Duration, Timestamp, duration_text, timestamp_text
from plumbline.apiserver.cel.types import DYN, INT, STRING, Type, list_of, map_of, optional_of
from plumbline.apiserver.cel.urls import Url
from plumbline.apiserver.cel.values import NONE, MapList, Optional, SetList, Uint
from plumbline.base.errors import BadExpression, EvaluationFailed, LimitExceeded

DECLARED = Declarations({"self": DYN, "l": list_of(INT), "m": map_of(STRING, STRING), "s": STRING})


def shown(value):  # noqa: C901, PLR0911 - one for each sort of value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Timestamp):
        return f'timestamp("{timestamp_text(value)}")'
    if isinstance(value, Duration):
        return f'duration("{duration_text(value)}")'
    if isinstance(value, Uint):
        return f"{int(value)}u"
    if isinstance(value, float):
        return f"F{value!r}"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, bytes):
        return "b" + repr(value)
    if isinstance(value, Url):
        return value.text
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{shown(key)}: {shown(each)}" for key, each in value.items())) + "}"
    if isinstance(value, Optional):
        return f"optional.of({shown(value.held)})" if value.present else "optional.none()"
    return str(value)


@pytest.mark.parametrize(("expression", "value", "cost"), EVALUATED, ids=[each[0][:60] for each in EVALUATED])
def test_an_expression_comes_to_its_value_at_its_price(expression, value, cost):
    answer = evaluate(compile_expression(expression, DECLARED), VARIABLES)
    assert (shown(answer.value), answer.cost) == (value, cost)


@pytest.mark.parametrize(("expression", "why"), FAILING, ids=[each[0][:60] for each in FAILING])
def test_an_expression_without_a_value_says_why(expression, why):
    with pytest.raises((EvaluationFailed, LimitExceeded)) as failure:
        evaluate(compile_expression(expression, DECLARED), VARIABLES)
    assert failure.value.what == why


@pytest.mark.parametrize(("expression", "message"), REFUSED, ids=[each[0][:60] for each in REFUSED])
def test_an_expression_that_makes_no_sense_is_refused(expression, message):
    with pytest.raises(BadExpression) as refusal:
        compile_expression(expression, DECLARED)
    assert refusal.value.what == message


OBJECT = Declarations(
    {"self": Type("struct", "Self"), "old": optional_of(Type("struct", "Self")), "request.user": STRING},
    {
        "Self": {
            "size": Field(INT, "size"),
            "foo__dash__bar": Field(INT, "foo-bar"),
            "names": Field(list_of(STRING), "names"),
            "items": Field(list_of(Type("struct", "Item")), "items"),
        },
        "Item": {"k": Field(STRING, "k")},
    },
)


@pytest.mark.parametrize(
    ("expression", "value", "why"),
    [
        ("self.size > 1", True, "fields have types"),
        ("self.foo__dash__bar == 4", True, "names that the language cannot say are escaped"),
        ("has(self.foo__dash__bar)", True, "also where presence is asked"),
        ("has(self.names)", False, "what is not there is not there"),
        ("old.size.orValue(7)", 7, "fields of an optional are optional"),
        ("old.?size.hasValue()", False, "an optional field of nothing is nothing"),
        ("has(old.size)", False, "nothing has no fields"),
        ("request.user", "me", "a variable may have a name with dots"),
        (".request.user", "me", "and a dot before it"),
        ("self.items.exists(x, x.k == 'b')", True, "items have fields"),
    ],
)
def test_declared_objects_are_checked_and_read(expression, value, why):
    variables = {
        "self": {"size": 3, "foo-bar": 4, "items": [{"k": "a"}, {"k": "b"}]},
        "old": NONE,
        "request.user": "me",
    }
    assert evaluate(compile_expression(expression, OBJECT), variables).value == value, why


def test_a_program_says_which_variables_it_uses():
    assert compile_expression("self.size == 1 || old.hasValue()", OBJECT).uses == {"self", "old"}


def test_a_variable_that_was_not_given_has_no_value():
    with pytest.raises(EvaluationFailed, match="no such attribute"):
        evaluate(compile_expression("s == 'a'", DECLARED), {})


def test_sets_are_equal_in_any_order_and_add_up_without_repeating():
    variables = {**VARIABLES, "l": SetList([1, 2])}
    assert evaluate(compile_expression("l == [2, 1]", DECLARED), variables).value
    assert evaluate(compile_expression("l + [2, 3]", DECLARED), variables).value == [1, 2, 3]


def test_lists_with_keys_are_equal_in_any_order_and_replace_what_has_the_same_key():
    declared = Declarations({"a": list_of(DYN), "b": list_of(DYN)})
    left = MapList([{"k": 1, "v": "x"}, {"k": 2}], ("k",))
    variables = {"a": left, "b": [{"k": 2}, {"k": 1, "v": "x"}]}
    assert evaluate(compile_expression("a == b", declared), variables).value
    assert not evaluate(compile_expression("a == b", declared), {**variables, "b": [{"k": 2}, {"k": 3}]}).value
    added = {**variables, "b": [{"k": 3}, {"k": 2, "v": "y"}]}
    assert evaluate(compile_expression("a + b", declared), added).value == [
        {"k": 1, "v": "x"},
        {"k": 2, "v": "y"},
        {"k": 3},
    ]
