"""Bodies of custom kinds."""

import pytest

from plumbline.apiserver.decoding.bodies import JSON, YAML, refused
from plumbline.apiserver.decoding.documents import document
from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.base.errors import LimitExceeded
from plumbline.base.json import encode
from plumbline.kube.names import GroupVersionKind

THING = GroupVersionKind("example.org", "v1", "Thing")


def thing(**fields):
    return {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "a"}, **fields}


@pytest.mark.parametrize(
    "sent", [thing(), thing(spec={"a": [1, {"b": None}]}), thing(kind="Other"), thing(apiVersion="v9")]
)
def test_a_document_is_what_it_says(sent):
    assert document(encode(sent), JSON).value == sent
    assert document(encode(sent), YAML).value == sent
    assert document(encode(sent), JSON).kind == GroupVersionKind.of(sent)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (b"1.0", 1),
        (b"1e3", 1000),
        (b"1.5", 1.5),
        (b"9223372036854775807", 2**63 - 1),
        (b"9223372036854775808", 2.0**63),
        (b'"\\ud800"', "\ufffd"),
    ],
)
def test_values_are_those_that_go_would_write_again(written, value):
    assert document(encode(thing())[:-1] + b',"spec":' + written + b"}", JSON).value["spec"] == value


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"{}", "the object provided is unrecognized (must be of type Thing): Object 'Kind' is missing in '{}' ({})"),
        (b"null", "the object provided is unrecognized (must be of type Thing): Object 'Kind' is missing in 'null' (6e756c6c)"),
        (encode(thing(apiVersion="a/b/c")), 'the object provided is unrecognized (must be of type Thing): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)'),
        (encode(thing(metadata=7)), 'Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number into Go value of type v1.ObjectMeta'),
        (encode(thing(metadata={"labels": {"a": 1}})), 'Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string'),
        (encode(thing())[:-1] + b',"a":1e999}', 'Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number 1e999 into Go value of type float64'),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_the_servers_words(sent, words):
    with pytest.raises(Refusal) as bad:
        document(sent, JSON)
    assert refused(bad.value, THING, sent) == words


def test_fields_that_are_there_twice_are_complained_about_wherever_they_are():
    sent = (
        b'{"apiVersion":"example.org/v1","kind":"Thing","metadata":{"name":"a","name":"b"},"x":[{"y":1,"y":2}],"x":1}'
    )
    read = document(sent, JSON)
    assert read.complaints == ('duplicate field "metadata.name"', 'duplicate field "x[0].y"', 'duplicate field "x"')
    assert read.value["metadata"] == {"name": "b"}
    assert document(sent, JSON, strict=False).complaints == ()


def test_metadata_has_a_type_and_whatever_is_wrong_with_it_is_called_unknown():
    read = document(encode(thing(metadata={"name": "a", "zeta": 1, "alpha": 2})), JSON)
    assert read.complaints == ('unknown field "metadata.alpha"', 'unknown field "metadata.zeta"')
    assert read.value["metadata"] == {"name": "a"}


def test_no_metadata_is_none():
    assert "metadata" not in document(encode(thing(metadata=None)), JSON).value
    bare = {"apiVersion": "example.org/v1", "kind": "Thing"}
    assert document(encode(bare)[:-1] + b',"a":1,"a":1}', JSON).value == {**bare, "a": 1}


def test_repeats_in_yaml_come_first():
    read = document(b"apiVersion: example.org/v1\nkind: Thing\nmetadata: {bogus: 1}\nspec: 1\nspec: 2\n", YAML)
    assert read.complaints[0].endswith('line 5: key "spec" already set in map')
    assert read.complaints[1:] == ('unknown field "metadata.bogus"',)


@pytest.mark.parametrize("extra", [b"", b',"z":1,"z":1'], ids=["fast", "slow"])
def test_a_document_has_only_so_many_levels(extra):
    with pytest.raises(LimitExceeded):
        document(encode(thing())[:-1] + b',"spec":' + b"[" * 250 + b"]" * 250 + extra + b"}", JSON)
