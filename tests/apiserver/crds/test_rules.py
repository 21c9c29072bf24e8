import pytest
from tests.apiserver.crds.corpus import RULED, RULED_SPECS, I, T, crd, rules, schema

from plumbline.apiserver.crds import Definition
from plumbline.apiserver.crds.correlation import Correlated
from plumbline.apiserver.crds.fieldpaths import schema_path
from plumbline.apiserver.crds.rule_checking import Watch, rule_errors
from plumbline.apiserver.crds.rule_types import RuleTypes
from plumbline.apiserver.crds.rules import Rules
from plumbline.apiserver.crds.structural import compiled_schema
from plumbline.base.errors import BadFieldPath

SERVED = Definition(crd(kind="Ruled", root=RULED)).version("v1")

MISMATCH = "'no such overload': call arguments did not match a supported operator, function or macro signature"
UNCHECKED = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


def obj(spec, name="x"):
    return {"apiVersion": "example.org/v1", "kind": "Ruled", "metadata": {"name": name}, "spec": spec}


def told(spec, old=None, name="x"):
    return [str(each) for each in SERVED.validate(obj(spec, name), None if old is None else obj(old)).errors]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({}, []),
        ({"size": 7}, ["spec: Invalid value: too big"]),
        ({"f": False}, ["spec.f: Forbidden: f is off"]),
        ({"g": 0}, ["spec: Required value: failed rule: !has(self.g) || self.g > 0"]),
        ({"h": 0}, ["spec: Duplicate value"]),
        ({"boom": 1, "l": [1]},
         ['spec: Invalid value: "object": index out of bounds: 5 evaluating rule: !has(self.boom) || self.l[5] == 1']),
        ({"ios": "x"}, [f'spec: Invalid value: "object": {MISMATCH} for rule: !has(self.ios) || self.ios < 5']),
        ({"l": [1, 11]}, ["spec.l[1]: Invalid value: 11: failed rule: self < 10"]),
        ({"m": {"a": "v"}}, ["spec.m[a]: Invalid value: \"v\": failed rule: self != 'v'"]),
        ({"foo-bar": 2}, ["spec: Invalid value: failed rule: !has(self.foo__dash__bar) || self.foo__dash__bar == 1"]),
        ({"set": ["b", "a"]}, []),
        ({"by": "YWJj"}, []),
        ({"num": 2}, []),
        ({"du": "2 minutes"}, []),
        ({"late": 1}, ["spec: Invalid value: late"]),
        ({"imm": "a"}, []),
        ({"w": False}, ["spec: Invalid value: fallback"]),
        ({"size": "x"}, ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
                         f"<nil>: Invalid value: null: {UNCHECKED}"]),
    ],
)  # fmt: skip
def test_rules_say_what_the_server_says(spec, said):
    assert told(spec) == said


def test_rules_about_the_whole_object_blame_nobody():
    assert told({}, name="bad") == ["<nil>: Invalid value: no bad names"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"imm": "a"}, {"imm": "b"}, ["spec: Invalid value: imm is immutable", 'spec.imm: Invalid value: "b": imm2']),
        ({"imm": "a"}, {"imm": "a"}, []),
        ({}, {"late": 1}, []),
        ({"lm": [{"k": "a", "v": 2}]}, {"lm": [{"k": "b", "v": 0}, {"k": "a", "v": 1}]},
         ["spec.lm[1].v: Invalid value: 1: failed rule: self >= oldSelf"]),
        ({"lm": [{"k": "a"}]}, {"lm": [{"k": "a", "v": 3}]}, []),
    ],
)  # fmt: skip
def test_changes_are_judged_with_the_old_value(old, new, said):
    assert told(new, old) == said


def test_faults_that_are_not_new_become_warnings():
    before = obj({"size": 7, "l": [11], "g": 1})
    judged = SERVED.validate({**before, "spec": {**before["spec"], "g": 2}}, before)
    assert [str(each) for each in judged.errors] == ["spec: Invalid value: too big"]
    assert judged.warnings == ["spec.l[0]: Invalid value: 11: failed rule: self < 10"]
    assert SERVED.validate(before, before).errors == []


@pytest.mark.parametrize("bad", ["x", 1.5, True, [], {}, None])
@pytest.mark.parametrize("name", ["size", "f", "l", "m", "imm", "dt", "du", "by", "num", "set", "lm", "q", "ios"])
def test_values_of_the_wrong_type_that_are_forgiven_fail_their_rules_and_nothing_else(name, bad):
    before = obj({name: bad})
    judged = SERVED.validate(before, before)
    assert all("evaluating rule" in str(each) or "for rule" in str(each) for each in judged.errors)


def test_every_spec_of_the_corpus_can_be_checked_under_guard():
    for spec in RULED_SPECS:
        rule_errors(SERVED.rules, obj(spec), obj({}), watch=Watch([], guarded=True))


NUMBERS = schema(
    spec={
        **schema(l={"type": "array", "items": I}, n={"type": "array", "items": {"type": "array", "items": I}}),
        **rules(
            "self.l.size() == 3",
            "self.l[0] == 1",
            "self.l[1] == 2",
            "self.l.all(x, x > 0)",
            "self.n[1] == [2]",
            "self.n == [[1], [2]]",
        ),
    }
)


def test_items_of_the_wrong_type_are_missed_only_by_rules_that_read_them():
    checked = Rules.of_root(compiled_schema(NUMBERS))
    held = {"spec": {"l": [1, "x", None], "n": [["y"], [2]]}}
    errors = rule_errors(checked, held, held, watch=Watch([], guarded=True))
    assert [str(each).rpartition(": ")[2] for each in errors] == [
        "self.l[1] == 2",
        "self.l.all(x, x > 0)",
        "self.n == [[1], [2]]",
    ]


COSTLY = schema(
    spec={
        **schema(l={"type": "array", "items": I}),
        **rules("self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))", "true"),
    }
)


def test_a_rule_that_costs_too_much_ends_the_check():
    served = Definition(crd(root=COSTLY)).version("v1")
    (only,) = served.validate({"spec": {"l": list(range(150))}}).errors
    assert only.message.startswith(
        "Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further"
    )


def test_rules_share_a_budget():
    root = compiled_schema(schema(spec={**schema(a=I), **rules("self.a == 1", "self.a == 2")}))
    checked = Rules.of_root(root)
    value = {"spec": {"a": 1}}
    assert len(rule_errors(checked, value)) == 1
    (spent,) = rule_errors(checked, value, watch=Watch([], budget=3))
    assert "running out of cost budget" in spent.message
    (spent,) = rule_errors(checked, value, watch=Watch([], budget=0))
    assert "running out of cost budget" in spent.message


def test_messages_have_to_be_paid_for_as_well():
    said = {"rule": "self.a == 2", "messageExpression": "string(self.a) + 'x'"}
    root = compiled_schema(schema(spec={**schema(a=I), **rules(said)}))
    value = {"spec": {"a": 1}}
    assert [str(each) for each in rule_errors(Rules.of_root(root), value)] == ["spec: Invalid value: 1x"]
    (spent,) = rule_errors(Rules.of_root(root), value, watch=Watch([], budget=4))
    assert "messageExpression evaluation failed due to running out of cost budget" in spent.message


def test_a_message_that_costs_too_much_ends_the_check():
    said = {"rule": "false", "messageExpression": "string(lists.range(2000000).size())"}
    root = compiled_schema(schema(spec={**schema(a=I), **rules(said, "false")}))
    (only,) = rule_errors(Rules.of_root(root), {"spec": {"a": 1}})
    assert "call cost exceeds limit for messageExpression" in only.message


@pytest.mark.parametrize("message", ["'a\\nb'", "''", "'x'.replace('', 'y'.replace('', 'z')) + self.long"])
def test_messages_that_cannot_be_shown_are_not(message):
    said = {"rule": "false", "messageExpression": message, "message": "instead"}
    root = compiled_schema(schema(spec={**schema(long=T), **rules(said)}))
    errors = rule_errors(Rules.of_root(root), {"spec": {"long": "x" * 6000}})
    assert [each.message for each in errors] == ["Invalid value: instead"]


def test_a_rule_that_does_not_compile_any_more_says_so():
    root = compiled_schema(schema(spec={**schema(a=I), **rules("self.gone == 1")}))
    (only,) = rule_errors(Rules.of_root(root), {"spec": {"a": 1}})
    assert only.message.startswith(
        'Invalid value: "object": rule compile error: compilation failed: ERROR: <input>:1:5'
    )


def test_properties_that_no_expression_can_name_have_rules_of_their_own():
    checked = Rules.of_root(compiled_schema(schema(**{"1st": {**I, **rules("self > 1")}})))
    assert [str(each) for each in rule_errors(checked, {"1st": 0})] == ["1st: Invalid value: 0: failed rule: self > 1"]


def test_what_has_no_type_cannot_be_seen_by_rules():
    types = RuleTypes()
    free = {"x-kubernetes-preserve-unknown-fields": True}
    root = schema(
        any=free,
        l={"type": "array", "items": free},
        m={"type": "object", "additionalProperties": free},
        bare={"type": "array"},
    )
    declared = types.of(compiled_schema(root), resource=True)
    assert sorted(types.structs[declared.name]) == ["apiVersion", "kind", "metadata"]


def test_declared_metadata_is_used_where_it_is_complete():
    types = RuleTypes()
    own = schema(name=T, generateName=T, extra=I)
    declared = types.of(compiled_schema(schema(kind=T, apiVersion=T, metadata=own)), resource=True)
    assert sorted(types.structs[f"{declared.name}.metadata"]) == ["extra", "generateName", "name"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".a", "a"),
        (".o.b", "o.b"),
        (".m['x.y']", "m[x.y]"),
        ("['a']", "a"),
        (".m['it\\'s']", "m[it's]"),
        (".m.k", "m[k]"),
    ],
)
def test_paths_into_schemas_are_followed(path, text):
    root = compiled_schema(schema(a=I, o=schema(b=I), m={"type": "object", "additionalProperties": T}))
    assert schema_path(path, root).text == text


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("a", "expected [ or . but got: a"), (".z", "does not refer to a valid field"), (".", "unexpected end of JSON path"),
        (".a.b", "does not refer to a valid field"), ("[", "unexpected end of JSON path"), ("[a]", "expected single quoted string but got a"),
        ("['a'", "unexpected end of JSON path"), ("['a'.", "expected ] but got ."), ("['\\x']", "invalid string literal: invalid escape char \\x"),
        ("['a", "expected single quoted string but got 'a"), (".t.x", "does not refer to a valid field"),
    ],
)  # fmt: skip
def test_paths_that_lead_nowhere_are_refused(path, why):
    root = compiled_schema(schema(a=I, t={"type": "object", "additionalProperties": True}))
    with pytest.raises(BadFieldPath) as refusal:
        schema_path(path, root)
    assert refusal.value.what == why


def test_old_values_are_found_by_their_keys():
    node = compiled_schema(RULED).properties["spec"].properties["lm"]
    new, old = [{"k": "b"}, {"k": "a"}, {}, 5], [{"k": "a"}, {"k": "a", "v": 1}, {"k": []}]
    correlated = Correlated(new, old, node)
    assert [correlated.item(index) is not None for index in range(4)] == [False, True, False, False]
    assert not correlated.unchanged
