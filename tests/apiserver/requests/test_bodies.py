"""Bodies of requests: in which format they are, and what becomes of complaints about them."""

import pytest
from tests.apiserver.scripts.samples import cm

from plumbline.apiserver.calls import Call
from plumbline.apiserver.models.builtin import BuiltinModel
from plumbline.apiserver.requests.bodies import media_type, read_delete_options, read_kind, read_object
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.base.errors import RequestRefused
from plumbline.base.json import encode
from plumbline.kube.names import GroupVersionKind

from .test_negotiation import CUSTOM

CONFIG_MAPS = next(BuiltinModel(each) for each in builtin_resources() if each.plural == "configmaps")
SCALE = GroupVersionKind("autoscaling", "v1", "Scale")
EVICTION = GroupVersionKind("policy", "v1", "Eviction")
DEEP = b'{"apiVersion":"v1","kind":"X","data":' + b"[" * 300 + b"]" * 300 + b"}"


def call(body, media: str = "application/json", method: str = "POST") -> Call:
    return Call(method, "/", "", {"content-type": media}, body if isinstance(body, bytes) else encode(body))


def thing(**fields):
    return {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "a"}, **fields}


def refusal(read):
    with pytest.raises(RequestRefused) as refused:
        read()
    return refused.value.status["code"], refused.value.status["message"]


@pytest.mark.parametrize(
    ("said", "media"),
    [
        ("", "application/json"), ("application/json", "application/json"), ("APPLICATION/YAML; x=y", "application/yaml"), (" application/json ;", "application/json"), ('application/json; a="b;c"; charset=utf-8', "application/json"),
        ("application/json; a=b; A=b", "application/json"), ("application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf"),
    ],
)  # fmt: skip
def test_the_format_is_what_the_header_says(said, media):
    assert media_type(call(b"", said)) == media


@pytest.mark.parametrize(
    "said", ["text/plain", "application/*", "json", "application/json;;", "application/json;charset", "application/json; a=b; a=c", "application/json, application/yaml", ";"]
)  # fmt: skip
def test_other_formats_are_refused_with_those_that_are_not(said):
    accepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
    words = f"the body of the request was in an unknown format - accepted media types include: {accepted}"
    assert refusal(lambda: media_type(call(b"", said))) == (415, words)


def test_custom_kinds_are_not_sent_as_protobuf():
    code, words = refusal(lambda: read_object(call(thing(), "application/vnd.kubernetes.protobuf"), CUSTOM, "Warn"))
    assert (code, words.endswith("include: application/json, application/yaml")) == (415, True)


def test_complaints_are_warned_of_refused_or_ignored():
    sent = cm(bogus=1)
    warned = call(sent)
    assert "bogus" not in read_object(warned, CONFIG_MAPS, "Warn")
    assert warned.warnings == ['unknown field "bogus"']
    ignored = call(sent)
    assert "bogus" not in read_object(ignored, CONFIG_MAPS, "Ignore")
    assert ignored.warnings == []
    words = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus"'
    assert refusal(lambda: read_object(call(sent), CONFIG_MAPS, "Strict")) == (400, words)


def test_repeats_in_yaml_are_warned_of_line_by_line():
    warned = call(b"metadata: {name: a}\ndata: {a: b}\ndata: {c: d}\nbogus: 1\n", "application/yaml")
    read_object(warned, CONFIG_MAPS, "Warn")
    assert warned.warnings == ['line 3: key "data" already set in map', 'unknown field "bogus"']


def test_another_version_is_refused_after_complaints():
    model = next(
        BuiltinModel(each)
        for each in builtin_resources()
        if each.kind.kind == "HorizontalPodAutoscaler" and each.kind.version == "v2"
    )
    sent = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "bogus": 1}
    words = "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)"
    warned = call(sent)
    assert refusal(lambda: read_object(warned, model, "Warn")) == (400, words)
    assert warned.warnings == ['unknown field "bogus"']
    assert "strict decoding error" in refusal(lambda: read_object(call(sent), model, "Strict"))[1]


def test_what_cannot_be_decoded_is_a_bad_request():
    assert refusal(lambda: read_object(call(b"{"), CONFIG_MAPS, "Warn"))[0] == 400
    assert refusal(lambda: read_object(call(b"{"), CUSTOM, "Warn"))[0] == 400
    assert refusal(lambda: read_delete_options(call(b"{")))[0] == 400


def test_what_goes_beyond_all_measure_is_too_large():
    for read in (
        lambda: read_object(call(DEEP), CUSTOM, "Warn"),
        lambda: read_delete_options(call(b"[" + b"1," * 400_000 + b"1]")),
    ):
        code, words = refusal(read)
        assert (code, words.startswith("The request body is not read: it ")) == (413, True)


def test_documents_are_read_with_their_schema():
    warned = call(thing(spec={"a": 1}, metadata={"name": "a", "bogus": 1}))
    assert read_object(warned, CUSTOM, "Warn") == thing()
    assert warned.warnings == ['unknown field "metadata.bogus"', 'unknown field "spec"']
    ignored = call(thing(spec={"a": 1}))
    assert read_object(ignored, CUSTOM, "Ignore") == thing()
    assert ignored.warnings == []


def test_documents_of_another_kind_are_invalid_and_not_malformed():
    code, words = refusal(lambda: read_object(call(thing(kind="Other")), CUSTOM, "Strict"))
    assert (code, words) == (422, 'Other.example.org "a" is invalid: kind: Invalid value: "Other": must be Thing')
    words = "the API version in the data (example.org/v9) does not match the expected API version (example.org/v1)"
    assert refusal(lambda: read_object(call(thing(apiVersion="example.org/v9")), CUSTOM, "Warn")) == (400, words)


def test_an_update_of_another_kind_is_first_asked_for_its_version():
    other = thing(kind="Other")
    assert read_object(call(other, method="PUT"), CUSTOM, "Warn") == other
    versioned = thing(kind="Other", metadata={"name": "a", "resourceVersion": "7"})
    assert refusal(lambda: read_object(call(versioned, method="PUT"), CUSTOM, "Warn"))[0] == 422


def test_bodies_may_be_of_another_kind_than_what_they_are_about():
    sent = {"spec": {"replicas": 2}, "bogus": 1}
    warned = call(sent)
    assert read_kind(warned, SCALE, "Warn") == {
        "spec": {"replicas": 2},
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
    }
    assert warned.warnings == ['unknown field "bogus"']
    assert (
        "as a Scale: json: cannot unmarshal string"
        in refusal(lambda: read_kind(call({"spec": {"replicas": "x"}}), SCALE, "Warn"))[1]
    )
    assert refusal(lambda: read_kind(call(b"{}"), GroupVersionKind("", "v1", "Nothing"), "Warn"))[0] == 404


def test_some_kinds_may_come_in_an_older_version():
    sent = {"apiVersion": "policy/v1beta1", "kind": "Eviction"}
    assert read_kind(call(sent), EVICTION, "Warn", also=("policy/v1beta1",))["apiVersion"] == "policy/v1beta1"
    assert refusal(lambda: read_kind(call(sent), EVICTION, "Warn"))[0] == 400


def test_options_of_a_deletion_are_read_leniently():
    assert read_delete_options(call({"bogus": 1, "gracePeriodSeconds": 5})) == {"gracePeriodSeconds": 5}
