"""Variables of a run: where they come from, who wins, and what stays out of errors."""

import pytest
from tests.terraform.objects import TERMS, Cluster, config_map, secret, terraform

from plumbline.base.json import decode
from plumbline.kube.names import Ref
from plumbline.terraform.inputs import Gathered, Ungathered, gathered
from plumbline.terraform.inputs.variables import VARIABLES_FILE


async def found(spec, *objects):
    subject = terraform(spec)
    return await gathered(subject.ref, subject.spec, Cluster(*objects), TERMS)


async def variables(spec, *objects):
    answer = await found(spec, *objects)
    assert isinstance(answer, Gathered), answer
    written = next(each for each in answer.workplace.files if each.path == VARIABLES_FILE)
    assert written.content == answer.variables
    assert written.place == "module"
    return decode(written.content.reveal())


CASES = [
    ({}, {}, "no variables are an empty file"),
    ({"vars": [{"name": "a", "value": "x"}]}, {"a": "x"}, "a string"),
    ({"vars": [{"name": "a", "value": {"b": [1, 2.5, None, True]}}]}, {"a": {"b": [1, 2.5, None, True]}}, "any JSON"),
    ({"vars": [{"name": "a"}]}, {"a": None}, "a variable without a value is null"),
    ({"vars": [{"name": "a", "value": 1}, {"name": "a", "value": 2}]}, {"a": 2}, "the later one wins"),
    ({"values": {"a": 1}, "vars": [{"name": "values", "value": 3}]}, {"values": 3}, "vars win over values"),
    ({"values": {"a": {"b": "c"}}}, {"values": {"a": {"b": "c"}}}, "values is one variable"),
    ({"values": "text"}, {"values": "text"}, "of any type"),
    (
        {"vars": [{"name": "a", "valueFrom": {"secretKeyRef": {"name": "s", "key": "subject"}}}]},
        {"a": "world"},
        "a key of a Secret",
    ),
    (
        {"vars": [{"name": "a", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "region"}}}]},
        {"a": "eu"},
        "a key of a ConfigMap",
    ),
    (
        {"vars": [{"name": "a", "value": "x", "valueFrom": {"secretKeyRef": {"name": "s", "key": "subject"}}}]},
        {"a": "x"},
        "what is said wins over what is referred to",
    ),
    (
        {"vars": [{"name": "a", "valueFrom": {"secretKeyRef": {"name": "s", "key": "no", "optional": True}}}]},
        {},
        "an optional key that is not there leaves the module's default",
    ),
    (
        {"vars": [{"name": "a", "valueFrom": {"secretKeyRef": {"name": "no", "key": "no", "optional": True}}}]},
        {},
        "so does an optional Secret",
    ),
    (
        {"vars": [{"name": "subject", "value": "me"}], "varsFrom": [{"kind": "Secret", "name": "s"}]},
        {"subject": "world", "port": "5432"},
        "varsFrom takes all keys, as strings, and wins over vars",
    ),
    (
        {"varsFrom": [{"kind": "Secret", "name": "s", "varsKeys": ["subject"]}]},
        {"subject": "world"},
        "or those that are named",
    ),
    (
        {"varsFrom": [{"kind": "Secret", "name": "s", "varsKeys": ["subject:who"]}]},
        {"who": "world"},
        "or those that are renamed",
    ),
    (
        {"varsFrom": [{"kind": "Secret", "name": "s"}, {"kind": "ConfigMap", "name": "c"}]},
        {"subject": "universe", "port": "5432", "region": "eu", "bin": "\ufffd\ufffda"},
        "later ones win, and binary keys nobody named become text as Go makes it",
    ),
    ({"varsFrom": [{"kind": "Secret", "name": "no", "optional": True}]}, {}, "an optional one may be missing"),
    (
        {"varsFrom": [{"kind": "ConfigMap", "name": "c", "varsKeys": ["no", "region"], "optional": True}]},
        {"region": "eu"},
        "and so may its keys",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "expected", "why"), CASES, ids=[case[-1] for case in CASES])
async def test_variables_come_from_where_the_object_says(spec, expected, why):
    cluster = (
        secret({"subject": "world", "port": "5432"}),
        config_map({"region": "eu", "subject": "universe"}, binary={"bin": b"\xff\xfea"}),
    )
    assert await variables(spec, *cluster) == expected, why


REFUSED = [
    ({"varsFrom": [{"kind": "Secret", "name": "no"}]}, "unresolved", 'secrets "no" not found'),
    ({"varsFrom": [{"kind": "ConfigMap", "name": "no"}]}, "unresolved", 'configmaps "no" not found'),
    ({"varsFrom": [{"kind": "Secret", "name": "s", "varsKeys": ["no"]}]}, "unresolved", "no key 'no'"),
    ({"varsFrom": [{"kind": "Secret", "name": "s", "varsKeys": ["a:b:c"]}]}, "invalid-input", 'pattern "a:b:c"'),
    ({"varsFrom": [{"kind": "Secret", "name": "s", "varsKeys": [":b"]}]}, "invalid-input", 'old name: ":b"'),
    ({"varsFrom": [{"kind": "Secret", "name": "s", "varsKeys": ["a:"]}]}, "invalid-input", 'new name: "a:"'),
    ({"varsFrom": [{"kind": "Secret", "name": "s", "varsKeys": ["bin"]}]}, "invalid-input", "not UTF-8"),
    ({"vars": [{"name": "a", "valueFrom": {"secretKeyRef": {"name": "s", "key": "no"}}}]}, "unresolved", "no key"),
    ({"vars": [{"name": "a", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}]}, "invalid-input", "neither"),
    ({"readInputsFromSecrets": [{"name": "no", "as": "x"}]}, "unresolved", 'secrets "no" not found'),
    ({"values": {"a": "${{ .in.bin.x }}"}, "readInputsFromSecrets": [{"name": "s", "as": "in"}]}, "invalid-input", "field x"),
    ({"values": {"a": "${{ .in"}}, "invalid-input", "unclosed action"),
    ({"readInputsFromSecrets": [{"name": "t", "as": "x"}]}, "invalid-input", "key 'n': its value is no number"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "code", "said"), REFUSED, ids=[each[-1] for each in REFUSED])
async def test_what_cannot_be_a_variable_is_refused_in_words_without_values(spec, code, said):
    typed = secret({"n": '"canary-hunter2"', "n__type": '"number"'}, name="t")
    answer = await found(spec, secret({"bin": b"\xffcanary-hunter2"}), typed)
    assert isinstance(answer, Ungathered)
    assert (answer.reason, answer.error.code) == ("VarsGenerationFailed", code)
    assert said in str(answer.error)
    assert "hunter2" not in f"{answer.error} {answer.error.hint} {answer}"


async def test_what_is_missing_is_among_what_is_used_so_that_its_coming_is_noticed():
    answer = await found({"varsFrom": [{"kind": "Secret", "name": "no"}]})
    assert answer.uses == {Ref("", "Secret", "team-a", "no")}


async def test_an_object_that_is_named_often_is_read_once():
    subject = terraform({"varsFrom": [{"kind": "Secret", "name": "s"}] * 5})
    cluster = Cluster(secret({"a": "b"}))
    await gathered(subject.ref, subject.spec, cluster, TERMS)
    assert cluster.asked == [("Secret", "team-a", "s")]


async def test_an_object_cannot_have_the_whole_cluster_read():
    many = [{"kind": "Secret", "name": f"s{at}", "optional": True} for at in range(300)]
    answer = await found({"varsFrom": many})
    assert answer.error.code == "limit-exceeded"
    assert len(answer.uses) == 256


async def test_a_secret_that_is_not_base64_is_refused():
    broken = {**secret({}), "data": {"a": "%%%"}}
    answer = await found({"varsFrom": [{"kind": "Secret", "name": "s"}]}, broken)
    assert "not base64" in str(answer.error)
