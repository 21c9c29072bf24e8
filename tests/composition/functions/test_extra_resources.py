"""function-extra-resources: objects of the cluster in the context or the environment."""

import pytest
from tests.composition.functions.asking import ask, call, refusal

from plumbline.composition.functions.extra_resources import ExtraResources
from plumbline.composition.functions.values import Resource, Selector

CONTEXT = "apiextensions.crossplane.io/extra-resources"
ENVIRONMENT = "apiextensions.crossplane.io/environment"
KIND = {"apiVersion": "v1", "kind": "ConfigMap"}
WANTED = {"api_version": "v1", "kind": "ConfigMap"}


def named(name, **fields):
    return {**KIND, "type": "Reference", "ref": {"name": name}, "toFieldPath": "it", **fields}


def labelled(*matchers, selector=None, **fields):
    return {**KIND, "type": "Selector", "selector": {"matchLabels": list(matchers), **(selector or {})}, "toFieldPath": "them", **fields}  # fmt: skip


TEAM = {"key": "team", "type": "Value", "value": "a"}


def given(*sources, **spec):
    return {"spec": {"extraResources": list(sources), **spec}}


def objects(*names):
    return tuple(Resource({"metadata": {"name": name}, "data": {"of": name}}) for name in names)


def asked(spec, *found, context=None):
    required = {f"resources-{at}": each for at, each in enumerate(found)}
    return ask(ExtraResources(), call(input=spec, required=required, context=context or {}))


def test_objects_are_asked_for_by_name_and_by_labels():
    region = {"key": "region", "valueFromFieldPath": "spec.region"}
    none = {"key": "none", "valueFromFieldPath": "spec.none", "fromFieldPathPolicy": "Optional"}
    answer = asked(given(named("n", namespace="ns"), labelled(TEAM, region), labelled(none)))
    assert answer.requirements.resources == {
        "resources-0": Selector(**WANTED, name="n", namespace="ns"),
        "resources-1": Selector(**WANTED, labels={"team": "a", "region": "eu"}),
    }
    assert answer.context == {}


def test_they_end_up_in_the_context_where_their_path_says():
    many = labelled(TEAM, selector={"maxMatch": 2, "minMatch": 1})
    answer = asked(given(named("n"), many), objects("n"), objects("c", "a", "b"), context={"kept": 1})
    assert refusal(answer) == ""
    assert answer.context["kept"] == 1
    assert [each["data"]["of"] for each in answer.context[CONTEXT]["it"]] == ["n"]
    assert [each["data"]["of"] for each in answer.context[CONTEXT]["them"]] == ["a", "b"]


def test_parts_of_them_can_be_put_elsewhere():
    spec = given(named("n", fromFieldPath="data.of"), into={"contextKey": "mine"})
    assert asked(spec, objects("n")).context == {"mine": {"it": ["n"]}}


def test_they_can_be_merged_into_the_environment():
    spec = given(
        named("n", fromFieldPath="data", toFieldPath=""),
        named("m", fromFieldPath="data.of"),
        into={"type": "Environment"},
    )
    answer = asked(spec, objects("n"), objects("m"), context={ENVIRONMENT: {"of": "before", "kept": 1}})
    marked = {"apiVersion": "internal.crossplane.io/v1alpha1", "kind": "Environment"}
    assert answer.context[ENVIRONMENT] == {"of": "n", "it": "m", "kept": 1, **marked}


def test_the_older_spelling_of_the_path_is_understood():
    spec = given({**KIND, "ref": {"name": "n"}, "into": "old"})
    assert list(asked(spec, objects("n")).context[CONTEXT]) == ["old"]


def test_what_is_optional_may_be_missing():
    spec = given(named("n"), named("m"), policy={"resolution": "Optional"})
    assert [each["data"]["of"] for each in asked(spec, (), objects("m")).context[CONTEXT]["it"]] == ["m"]


REFUSED = [
    (given(labelled({"key": "k", "valueFromFieldPath": "spec.none"})), (), 'could not build extra resource requirements: cannot get value from field path "spec.none": spec.none: no such field'),
    (given(named("n")), ((),), 'verifying and sorting extra resources: Required extra resource "resources-0" not found'),
    (given(named("n")), (objects("a", "b"),), 'verifying and sorting extra resources: expected exactly one extra resource "resources-0", got 2'),
    (given(named("n"), named("m")), (objects("n"),), 'verifying and sorting extra resources: cannot find expected extra resource "resources-1"'),
    (given(labelled(TEAM, selector={"minMatch": 2})), (objects("a"),), 'verifying and sorting extra resources: expected at least 2 extra resources "resources-0", got 1'),
    (given(named("n", fromFieldPath="")), (objects("n"),), "verifying and sorting extra resources: fromFieldPath cannot be empty, omit the field to get the whole object"),
    (given(named("n", fromFieldPath="x.y")), (objects("n"),), "verifying and sorting extra resources: x: no such field"),
    (given(named("n", toFieldPath="")), (objects("n"),), "must set toFieldPath for type Context"),
    (given(named("n", toFieldPath="", fromFieldPath="data.of"), into={"type": "Environment"}), (objects("n"),), "must set toFieldPath when extracted value is not an object"),
    (given(named("n"), into={"type": "Elsewhere"}), (objects("n"),), 'unknown into type: "Elsewhere"'),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "found", "expected"), REFUSED, ids=[each[2][-50:] for each in REFUSED])
def test_refusals_are_in_the_functions_own_words(spec, found, expected):
    assert refusal(asked(spec, *found)) == expected


def test_a_path_that_is_none_is_refused():
    assert 'cannot set nested field path "a["' in refusal(asked(given(named("n", toFieldPath="a[")), objects("n")))
