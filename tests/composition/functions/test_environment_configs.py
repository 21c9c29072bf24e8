"""function-environment-configs: which configs are asked for, and how they are merged."""

import pytest
from tests.composition.functions.asking import ask, call, refusal

from plumbline.composition.functions.environment_configs import EnvironmentConfigs
from plumbline.composition.functions.values import Resource, Selector

ENVIRONMENT = "apiextensions.crossplane.io/environment"
API = {"api_version": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig"}
MARKED = {"apiVersion": "internal.crossplane.io/v1alpha1", "kind": "Environment"}


def config(name, data=None, **fields):
    return Resource({"metadata": {"name": name}, **({} if data is None else {"data": data}), **fields})


def given(*configs, **spec):
    return {"spec": {"environmentConfigs": list(configs), **spec}}


def by_name(name, **fields):
    return {"type": "Reference", "ref": {"name": name}, **fields}


def by_labels(*matchers, **selector):
    fields = {key: selector.pop(key) for key in ("toFieldPath",) if key in selector}
    return {"type": "Selector", "selector": {"matchLabels": list(matchers), **selector}, **fields}


TEAM = {"key": "team", "type": "Value", "value": "a"}


def environment(spec, found, context=None):
    required = {f"environment-config-{at}": tuple(each) for at, each in found.items()}
    answer = ask(EnvironmentConfigs(), call(input=spec, required=required, context=context or {}))
    assert refusal(answer) == ""
    return {key: value for key, value in answer.context[ENVIRONMENT].items() if key not in MARKED}


def test_configs_are_asked_for_by_name_and_by_labels():
    spec = given(
        {"ref": {"name": "plain"}},
        by_labels(TEAM, {"key": "region", "valueFromFieldPath": "spec.region"}),
        by_labels({"key": "size", "type": "FromEnvironmentFieldPath", "valueFromFieldPath": "size"}),
        by_labels({"key": "none", "valueFromFieldPath": "spec.none", "fromFieldPathPolicy": "Optional"}),
    )
    answer = ask(EnvironmentConfigs(), call(input=spec, context={ENVIRONMENT: {"size": "big"}}))
    assert answer.requirements.resources == {
        "environment-config-0": Selector(**API, name="plain"),
        "environment-config-1": Selector(**API, labels={"team": "a", "region": "eu"}),
        "environment-config-2": Selector(**API, labels={"size": "big"}),
    }
    assert answer.context == {ENVIRONMENT: {"size": "big"}}


def test_without_configs_nothing_happens():
    answer = ask(EnvironmentConfigs(), call(input={"spec": {"defaultData": {"a": 1}}}))
    assert (answer.context, answer.requirements.resources) == ({}, {})


def test_later_configs_win_over_earlier_ones_over_what_came_in_over_defaults():
    got = environment(
        given(by_name("one"), by_name("two"), defaultData={"a": 0, "b": 0, "c": 0, "d": {"x": 0, "y": 0.0}}),
        {0: [config("one", {"a": 2, "b": 2, "d": {"x": 1}})], 1: [config("two", {"a": 3})]},
        {ENVIRONMENT: {"a": 1, "b": 1, "c": 1}},
    )
    assert got == {"a": 3, "b": 2, "c": 1, "d": {"x": 1, "y": 0}}


def test_the_environment_says_what_it_is_unless_somebody_else_does():
    asked = call(input=given(by_name("one")), required={"environment-config-0": (config("one", {"a": 1}),)})
    assert ask(EnvironmentConfigs(), asked).context == {ENVIRONMENT: {"a": 1, **MARKED}}
    kinds = (config("one", {"kind": "Mine"}),)
    kept = ask(EnvironmentConfigs(), call(input=given(by_name("one")), required={"environment-config-0": kinds}))
    assert kept.context == {ENVIRONMENT: {"kind": "Mine"}}


def test_many_are_sorted_and_cut():
    found = [config("c", {"last": "c"}), config("a", {"last": "a", "only": 1}), config("b", {"last": "b"})]
    many = by_labels(TEAM, mode="Multiple", maxMatch=2)
    assert environment(given(many), {0: found}) == {"last": "b", "only": 1}


def test_data_can_be_put_under_a_path():
    spec = given(by_name("one", toFieldPath="nested.here"))
    assert environment(spec, {0: [config("one", {"a": 1})]}) == {"nested": {"here": {"a": 1}}}


def test_a_config_that_is_optional_may_be_missing():
    spec = given(by_name("one"), by_name("two"), policy={"resolution": "Optional"})
    assert environment(spec, {0: [], 1: [config("two", {"a": 1})]}) == {"a": 1}


def numbered(*values):
    return [config(str(at), {}, rank=value) for at, value in enumerate(values)]


REFUSED = [
    (given(by_labels({"key": "k", "valueFromFieldPath": "spec.none"})), None, 'cannot build requirements: cannot get value from composite field path "spec.none": spec.none: no such field'),
    (given(by_labels({"key": "k", "valueFromFieldPath": "spec.count"})), None, 'cannot build requirements: cannot get value from composite field path "spec.count": spec.count: not a string'),
    (given(by_labels({"key": "k", "type": "FromEnvironmentFieldPath", "valueFromFieldPath": "a"})), None, 'cannot build requirements: cannot get value from environment field path "a": a: no such field'),
    (given(by_labels({"key": "k", "type": "Value"})), None, "cannot build requirements: Value cannot be nil for type 'Value'"),
    (given(by_labels({"key": "k"})), None, "cannot build requirements: ValueFromFieldPath cannot be nil for type 'FromCompositeFieldPath'"),
    (given(by_name("n")), [], 'cannot get selected environment configs: cannot process environment config "n" by reference, "environment-config-0": Required environment config "n" not found'),
    (given(by_name("n")), numbered(1, 2), 'cannot get selected environment configs: cannot process environment config "n" by reference, "environment-config-0": expected exactly one required resource "n", got 2'),
    (given(by_labels(TEAM)), [], 'cannot get selected environment configs: cannot process environment config "environment-config-0" by selector: expected exactly one required resource, got 0'),
    (given(by_labels(TEAM, mode="Multiple", minMatch=2)), numbered(1), 'cannot get selected environment configs: cannot process environment config "environment-config-0" by selector: expected at least 2 required resources, got 1'),
    (given(by_labels(TEAM, mode="Some")), [], 'cannot get selected environment configs: cannot process environment config "environment-config-0" by selector: unknown selector mode "Some"'),
    (given(by_labels(TEAM, mode="Multiple", sortByFieldPath="rank")), numbered("a", 1), 'cannot get selected environment configs: cannot process environment config "environment-config-0" by selector: cannot sort values of different types "string" and "int64"'),
    (given(by_labels(TEAM, mode="Multiple", sortByFieldPath="rank")), numbered(True), 'cannot get selected environment configs: cannot process environment config "environment-config-0" by selector: unsupported type "bool" for sorting'),
    (given(by_labels(TEAM, mode="Multiple", sortByFieldPath="rank[0]")), numbered("a"), 'cannot get selected environment configs: cannot process environment config "environment-config-0" by selector: rank: not an array'),
    (given(by_name("n")), [config("n")], 'cannot merge environment data: cannot get data from environment config "n": data: no such field'),
    (given(by_name("n")), [config("n", [])], 'cannot merge environment data: cannot get data from environment config "n": data: not an object'),
    (given(by_name("n", toFieldPath="a[")), [config("n", {})], 'cannot merge environment data: cannot get data from environment config n into path "a["'),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "found", "expected"), REFUSED, ids=[each[2][-50:] for each in REFUSED])
def test_refusals_are_in_the_functions_own_words(spec, found, expected):
    required = {} if found is None else {"environment-config-0": tuple(found)}
    assert refusal(ask(EnvironmentConfigs(), call(input=spec, required=required))) == expected


def test_what_has_no_rank_comes_first():
    found = [config("a", {"last": "a"}, rank=2.0), config("b", {"last": "b"}), config("c", {"last": "c"}, rank=1)]
    assert environment(given(by_labels(TEAM, mode="Multiple", sortByFieldPath="rank")), {0: found}) == {"last": "a"}
    found = [config("a", {"last": "a"}), config("b", {"last": "b"})]
    assert environment(given(by_labels(TEAM, mode="Multiple", sortByFieldPath="rank")), {0: found}) == {"last": "b"}


def test_input_of_another_shape_is_refused():
    assert "cannot get Function input" in refusal(ask(EnvironmentConfigs(), call(input={"spec": []})))
