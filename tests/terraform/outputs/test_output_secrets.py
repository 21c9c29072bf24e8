"""The Secret that outputs are written to: upstream's format, and nobody else's Secret."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.terraform.objects import output, secret, terraform

from plumbline.base.errors import InvalidInput, LimitExceeded, OwnedElsewhere
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.inputs.typed import template_inputs
from plumbline.terraform.outputs import available, output_secret, outputs_missing, published
from plumbline.terraform.outputs.selecting import entries

OUTPUTS = {
    "id": output('"vpc-1"'),
    "ports": output("[\n  80,\n  443\n]", '["list","number"]'),
    "count": output("3", '"number"'),
    "password": output('"hunter2"', sensitive=True),
}
OURS = {
    "apiVersion": "infra.contrib.fluxcd.io/v1alpha2",
    "kind": "Terraform",
    "name": "net",
    "uid": "uid-net",
    "controller": True,
}


def wanting(*outputs, **rest):
    return {"writeOutputsToSecret": {"name": "s", "outputs": list(outputs), **rest}}


def contents(obj):
    return {key: base64.b64decode(value).decode() for key, value in obj["data"].items()}


ALL = {
    "id": "vpc-1",
    "ports": "[\n  80,\n  443\n]",
    "ports__type": '["list","number"]',
    "count": "3",
    "count__type": '"number"',
    "password": "hunter2",
}

SELECTIONS = [
    ((), ALL, "all of them where none is named"),
    (("id",), {"id": "vpc-1"}, "one"),
    (("id:vpc.id",), {"vpc.id": "vpc-1"}, "under another key"),
    (("count:n",), {"n": "3", "n__type": '"number"'}, "with the type beside it"),
    (("id", "id"), {"id": "vpc-1"}, "twice is once"),
    (("id", "id:vpc"), {"id": "vpc-1", "vpc": "vpc-1"}, "under two keys"),
]


@pytest.mark.parametrize(("wanted", "expected", "why"), SELECTIONS, ids=[each[-1] for each in SELECTIONS])
def test_outputs_are_written_as_upstream_writes_them(wanted, expected, why):
    assert contents(output_secret(terraform(wanting(*wanted)), OUTPUTS, None)) == expected


def test_a_new_secret_belongs_to_the_object_and_has_the_marks_that_it_asks_for():
    subject = terraform(wanting("id", labels={"a": "b"}, annotations={"c": "d"}))
    assert output_secret(subject, OUTPUTS, None) == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "s",
            "namespace": "team-a",
            "labels": {"a": "b"},
            "annotations": {"c": "d"},
            "ownerReferences": [OURS],
        },
        "type": "Opaque",
        "data": {"id": "dnBjLTE="},
    }


def test_one_that_is_there_changes_in_its_contents_alone():
    live = secret({"old": "x", "id": "y"}, ownerReferences=[OURS], labels={"kept": "yes"})
    found = output_secret(terraform(wanting("id", labels={"a": "b"})), OUTPUTS, live)
    assert found == {**live, "data": {"id": "dnBjLTE="}}
    assert contents(live) == {"old": "x", "id": "y"}


NOTHING = [
    ({}, OUTPUTS, None, "nobody asks for it"),
    (wanting("id") | {"destroy": True}, OUTPUTS, None, "everything is destroyed"),
    (wanting("nope"), {}, None, "the module has no outputs"),
    (wanting("id"), OUTPUTS, secret({"id": "vpc-1"}, ownerReferences=[OURS]), "it says so already"),
]


@pytest.mark.parametrize(("spec", "outputs", "live", "why"), NOTHING, ids=[each[-1] for each in NOTHING])
def test_nothing_is_written_where(spec, outputs, live, why):
    assert output_secret(terraform(spec), outputs, live) is None


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (("nope",), "output not found: nope"),
        (("nope:id",), "output not found: nope"),
        (("",), "output mapping cannot be empty"),
        (("id:",), "'' cannot be a key"),
        (("id:a:b",), "'a:b' cannot be a key"),
        (("id:../x",), "'../x' cannot be a key"),
        (("id:x", "count:x"), "two outputs are to be under the key x"),
        (("count:x", "id:x__type"), "where the type of another is said: x__type"),
    ],
)
def test_what_cannot_be_published_is_refused(wanted, said):
    with pytest.raises(InvalidInput) as refused:
        output_secret(terraform(wanting(*wanted)), OUTPUTS, None)
    assert said in str(refused.value)


def test_outputs_that_no_secret_can_hold_are_refused():
    with pytest.raises(LimitExceeded):
        entries({"a": output(encode("x" * (1 << 20)))})


def test_what_the_tool_garbled_is_refused_without_its_value():
    with pytest.raises(InvalidInput) as refused:
        entries({"a": output("canary")})
    assert "canary" not in str(refused.value)


OTHER = {"apiVersion": "v1", "kind": "Other", "name": "o", "uid": "uid-o", "controller": True}
STRANGERS = [
    (secret({"id": "vpc-1"}, ownerReferences=[OTHER]), "Other o", "somebody else controls it"),
    (
        secret({}, ownerReferences=[{**OURS, "uid": "older"}]),
        "Terraform net",
        "an object of the same name does that is gone",
    ),
    (secret({"id": "mine"}), "whoever made it", "it holds something else"),
    (secret({"other": "x"}), "whoever made it", "it holds something more"),
]


@pytest.mark.parametrize(("live", "holder", "why"), STRANGERS, ids=[each[-1] for each in STRANGERS])
def test_a_secret_is_never_taken_over(live, holder, why):
    with pytest.raises(OwnedElsewhere) as refused:
        output_secret(terraform(wanting("id")), OUTPUTS, live)
    assert refused.value.holder == (holder, "Secret team-a/s")
    assert refused.value.claimant.owner == "Terraform.infra.contrib.fluxcd.io/team-a/net"
    assert holder in str(refused.value)


@pytest.mark.parametrize("values", [{}, {"id": "vpc-1"}])
def test_a_secret_that_nobody_controls_is_used_where_nothing_in_it_is_lost(values):
    owner = {"apiVersion": "v1", "kind": "X", "name": "x", "uid": "u"}
    found = output_secret(terraform(wanting("id")), OUTPUTS, secret(values, ownerReferences=[owner]))
    assert found["metadata"]["ownerReferences"] == [owner, OURS]
    assert contents(found) == {"id": "vpc-1"}


MISSING = [
    ({}, None, False, "nobody asks for it"),
    (wanting("id"), None, True, "it is gone"),
    (wanting("id", "count:n"), secret({"id": "", "n": "", "n__type": ""}), False, "all keys are there"),
    (wanting("id"), secret({}), True, "a key is gone"),
    (wanting("id"), secret({"id": "", "x": ""}), True, "there is one too many"),
    (wanting("id") | {"destroy": True}, None, False, "everything is destroyed"),
    (wanting(), secret({"a": "", "b": ""}), False, "all that are known are there"),
    (wanting(), secret({"a": ""}), True, "one of all is not"),
]


@pytest.mark.parametrize(("spec", "live", "expected", "why"), MISSING, ids=[each[-1] for each in MISSING])
def test_a_secret_that_was_changed_behind_our_back_is_noticed(spec, live, expected, why):
    assert outputs_missing(terraform(spec, status={"availableOutputs": ["a", "b"]}), live) is expected


def test_without_any_output_there_is_no_secret_to_miss():
    assert not outputs_missing(terraform(wanting()), None)


def test_available_outputs_are_sorted():
    assert available(OUTPUTS) == ("count", "id", "password", "ports")


def test_what_is_published_is_what_health_checks_can_use():
    assert published(terraform(), OUTPUTS) == {}
    assert published(terraform(wanting("id:x")), OUTPUTS) == {"x": Plaintext("vpc-1")}


json_values = st.one_of(
    st.tuples(st.just("string"), st.text()),
    st.tuples(st.just("number"), st.integers(-1000, 1000)),
    st.tuples(st.just("bool"), st.booleans()),
    st.tuples(st.just(["list", "string"]), st.lists(st.text())),
    st.tuples(st.just(["map", "bool"]), st.dictionaries(st.text(), st.booleans())),
    st.tuples(st.just("string"), st.none()),
)


@given(st.dictionaries(st.from_regex(r"\A[a-z]{1,5}\Z"), json_values, max_size=4))
def test_another_module_reads_what_this_one_wrote(outputs):
    written = entries({key: output(encode(value), encode(type_).decode()) for key, (type_, value) in outputs.items()})
    read = template_inputs(written, "Secret x")
    expected = {key: template_value(value) for key, (_, value) in outputs.items()}
    assert read == expected


def template_value(value):
    import unicodedata  # noqa: PLC0415 - used here only

    def composed(each):
        return unicodedata.normalize("NFC", each) if isinstance(each, str) else each

    if isinstance(value, list):
        return [composed(each) for each in value]
    if isinstance(value, dict):
        return {composed(key): each for key, each in value.items()}
    return composed(value)


def test_nothing_of_a_value_is_in_what_is_printed():
    found = published(terraform(wanting()), OUTPUTS)
    assert "hunter2" not in repr(found)
    assert decode(encode(sorted(found))) == sorted(ALL)
