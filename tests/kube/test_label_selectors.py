import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadSelector
from plumbline.kube.selectors import EVERYTHING, NOTHING, LabelSelector

LABELS = {"app": "web", "tier": "front", "weight": "10", "empty": ""}

MATCHES = [
    ("", True, "nothing asked, everything matches"),
    ("app=web", True, "equal"),
    ("app==web", True, "equal, twice"),
    ("app=db", False, "not equal"),
    ("app!=db", True, "other than"),
    ("app!=web", False, "not other than"),
    ("gone!=x", True, "a label that is not there differs"),
    ("app in (web,db)", True, "one of"),
    ("app in (db)", False, "none of"),
    ("gone in (x)", False, "a label that is not there is none of any"),
    ("app notin (db)", True, "not one of"),
    ("app notin (web)", False, "one of those not wanted"),
    ("gone notin (x)", True, "a label that is not there is not one of any"),
    ("app", True, "there"),
    ("gone", False, "not there"),
    ("!gone", True, "absent"),
    ("! app", False, "not absent"),
    ("weight>9", True, "more"),
    ("weight<9", False, "not less"),
    ("weight > 10", False, "not more"),
    ("app>1", False, "no number is not more"),
    ("gone>1", False, "nor is nothing"),
    ("empty=", True, "an empty value is a value"),
    ("empty in ()", True, "also as the only one"),
    ("empty in (x,)", True, "or one of several"),
    ("app=web,tier=back", False, "all must hold"),
    (" app = web , tier in ( front ) ", True, "spaces mean nothing"),
    ("in", False, "operators are names, too"),
    ("app notin (in,notin)", True, "and values"),
]


@pytest.mark.parametrize(("text", "expected", "why"), MATCHES, ids=[case[0] for case in MATCHES])
def test_text_selects_by_labels(text, expected, why):
    assert LabelSelector.parse(text).matches(LABELS) is expected, why


PRINTED = [
    ("b=1,a=2", "a=2,b=1", "keys are sorted"),
    ("a==1", "a==1", "both equals stay"),
    ("a in (c,b,b)", "a in (b,c)", "values are sorted and said once"),
    ("a in (b)", "a in (b)", "one of one stays"),
    ("a notin ()", "a notin ()", "and so does the empty value"),
    ("x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()", "which comes first"),
    ("!a", "!a", "absent"),
    ("a>1,b<2", "a>1,b<2", "more and less"),
]


@pytest.mark.parametrize(("text", "expected", "why"), PRINTED, ids=[case[0] for case in PRINTED])
def test_it_prints_as_the_server_prints_it(text, expected, why):
    assert str(LabelSelector.parse(text)) == expected, why


NAME_RULE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
    " (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
    " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
REFUSED = [
    ("=a", "found '=', expected: !, identifier, or 'end of string'"),
    ("a=b c", "found 'c', expected: ',' or 'end of string'"),
    ("a,", "found '', expected: identifier after ','"),
    ("a,=", "found '=', expected: identifier after ','"),
    ("!a=b", "found '=', expected: ',' or 'end of string'"),
    ("!", "unable to parse requirement: found '', expected: identifier"),
    ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
    ("a==(b)", "unable to parse requirement: found '(', expected: identifier"),
    ("a in b", "unable to parse requirement: found 'b' expected: '('"),
    ("a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
    ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
    ("a in (b,=)", "unable to parse requirement: found '=', expected: ',', or identifier"),
    ("_", f'unable to parse requirement: <nil>: Invalid value: "_": {NAME_RULE}'),
    (
        "a>x",
        "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[case[0] for case in REFUSED])
def test_bad_text_is_refused_in_known_words(text, message):
    with pytest.raises(BadSelector) as refused:
        LabelSelector.parse(text)
    assert str(refused.value) == message


OBJECTS = [
    ({}, "", True, "an empty object selects everything"),
    ({"matchLabels": {}, "matchExpressions": None}, "", True, "with empty parts as well"),
    ({"matchLabels": {"tier": "front", "app": "web"}}, "app=web,tier=front", True, "labels"),
    ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}, "app in (web)", True, "one of"),
    ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, "app notin (web)", False, "none of"),
    ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, "app", True, "there"),
    ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist", "values": []}]}, "!app", False, "absent"),
    ({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "Exists"}]}, "app=web,app", True, "both"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text", "expected", "why"), OBJECTS, ids=[case[-1] for case in OBJECTS])
def test_objects_select_by_labels(value, text, expected, why):
    selector = LabelSelector.from_object(value)
    assert (str(selector), selector.matches(LABELS)) == (text, expected), why


def test_no_object_selects_nothing():
    selector = LabelSelector.from_object(None)
    assert selector is NOTHING
    assert not selector.matches({})
    assert not selector.empty
    assert repr(selector) == "NOTHING"
    assert selector != EVERYTHING


BAD_OBJECTS = [
    ("app=web", "text"),
    ({"matchLabels": ["a"]}, "labels that are no object"),
    ({"matchLabels": {"a": 1}}, "a value that is no string"),
    ({"matchLabels": {"_": "x"}}, "a key that is no label"),
    ({"matchLabels": {"a": "-"}}, "a value that is no label"),
    ({"matchExpressions": {}, "matchLabels": 1}, "labels that are a number"),
    ({"matchExpressions": "x"}, "expressions that are no list"),
    ({"matchExpressions": ["x"]}, "an expression that is no object"),
    ({"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}, "an operator of nodes only"),
    ({"matchExpressions": [{"key": "a", "operator": 1}]}, "an operator that is no string"),
    ({"matchExpressions": [{"key": "a", "operator": "In"}]}, "one of nothing"),
    ({"matchExpressions": [{"key": "a", "operator": "In", "values": "x"}]}, "values that are no list"),
    ({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]}, "there with a value"),
    ({"matchExpressions": [{"key": 1, "operator": "Exists"}]}, "a key that is no string"),
]


@pytest.mark.parametrize(("value", "why"), BAD_OBJECTS, ids=[case[-1] for case in BAD_OBJECTS])
def test_bad_objects_are_refused(value, why):
    with pytest.raises(BadSelector):
        LabelSelector.from_object(value)


def test_all_that_is_wrong_is_said():
    with pytest.raises(BadSelector) as refused:
        LabelSelector.from_object({"matchExpressions": [{"key": "-", "operator": "In", "values": []}]})
    assert str(refused.value).startswith('[key: Invalid value: "-": name part must')
    assert str(refused.value).endswith(
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty]"
    )


def test_plain_labels_select_without_being_checked():
    selector = LabelSelector.from_labels({"app": "not a label value"})
    assert selector.matches({"app": "not a label value"})
    assert not selector.matches({})


def test_it_tells_which_value_it_requires():
    selector = LabelSelector.parse("app=web,tier in (front),x in (a,b)")
    assert [selector.required_value(key) for key in ("app", "tier", "x", "gone")] == ["web", "front", None, None]


def test_selectors_are_values():
    assert LabelSelector.parse("b,a") == LabelSelector.parse("a, b")
    assert len({LabelSelector.parse("b,a"), LabelSelector.parse("a,b")}) == 1
    assert LabelSelector.parse("a") != "a"
    assert repr(LabelSelector.parse("a")) == "LabelSelector('a')"
    assert LabelSelector.parse(" ").empty


keys = st.sampled_from(["app", "tier", "example.org/part", "in", "a.b-c_d"])
label_values = st.sampled_from(["web", "db", "", "notin", "1", "v1.2"])
labels = st.dictionaries(keys, label_values)
expressions = st.fixed_dictionaries(
    {
        "key": keys,
        "operator": st.sampled_from(["In", "NotIn"]),
        "values": st.lists(label_values, min_size=1, unique=True),
    }
) | st.fixed_dictionaries({"key": keys, "operator": st.sampled_from(["Exists", "DoesNotExist"])})
selector_objects = st.fixed_dictionaries({"matchLabels": labels, "matchExpressions": st.lists(expressions, max_size=3)})


@given(selector_objects, labels)
def test_the_printed_form_of_an_object_selects_the_same(value, subject):
    selector = LabelSelector.from_object(value)
    parsed = LabelSelector.parse(str(selector))
    assert parsed.matches(subject) == selector.matches(subject)
    assert str(parsed) == str(selector)


@given(st.text(alphabet="ab=!,()<> in", max_size=12))
def test_any_text_is_read_or_refused(text):
    try:
        selector = LabelSelector.parse(text)
    except BadSelector:
        return
    assert LabelSelector.parse(str(selector)) == selector
