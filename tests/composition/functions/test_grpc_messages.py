"""Calls and answers as the protocol's messages."""

import contextlib

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput, LimitExceeded, ToolMissing
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.grpc import encoding, sdk
from plumbline.composition.functions.grpc.encoding import decoded, encoded
from plumbline.composition.functions.values import (
    Answer,
    Call,
    Condition,
    Requirements,
    Resource,
    Result,
    SchemaSelector,
    Selector,
    State,
)

XR = Resource({"apiVersion": "a/v1", "kind": "XR"}, {"password": Plaintext("s")}, "True")


def request(call):
    message = fnv1.RunFunctionRequest()
    message.ParseFromString(encoded(call))
    return message


def test_a_call_is_the_request_that_crossplane_sends():
    message = request(
        Call(
            observed=State(XR, {"a": Resource({"n": 1, "list": [1.5, None, True, {"x": "y"}]}, ready="False")}),
            desired=State(resources={"b": Resource({})}),
            input={"kind": "Input"},
            context={"k": {"v": 1}},
            credentials={"cloud": {"token": Plaintext("t")}, "empty": {}},
            required={"found": (Resource({"n": 2}),), "gone": ()},
            extra={"old": (Resource({"n": 3}),)},
            schemas={"pod": {"type": "object"}},
            tag="t",
        )
    )
    assert message.meta.tag == "t"
    assert list(message.meta.capabilities) == [1, 2, 3, 4, 5]
    assert message.observed.composite.connection_details["password"] == b"s"
    assert message.observed.composite.ready == fnv1.READY_TRUE
    assert message.observed.resources["a"].resource["list"][3]["x"] == "y"
    assert message.observed.resources["a"].ready == fnv1.READY_FALSE
    assert not message.desired.HasField("composite")
    assert "b" in message.desired.resources
    assert message.input["kind"] == "Input"
    assert message.context["k"]["v"] == 1
    assert message.credentials["cloud"].credential_data.data["token"] == b"t"
    assert message.credentials["empty"].HasField("credential_data")
    assert message.required_resources["found"].items[0].resource["n"] == 2
    assert "gone" in message.required_resources
    assert message.extra_resources["old"].items[0].resource["n"] == 3
    assert message.required_schemas["pod"].openapi_v3["type"] == "object"


def test_what_a_call_does_not_hold_is_not_sent():
    message = request(Call(observed=State(XR)))
    assert message.HasField("desired")
    assert message.HasField("context")
    assert not message.HasField("input")


def test_an_answer_is_read_in_full():
    response = fnv1.RunFunctionResponse()
    response.meta.ttl.seconds = 90
    response.desired.composite.resource.update({"status": {"a": 1}})
    response.desired.composite.connection_details["k"] = b"v"
    response.desired.resources["a"].resource.update(
        {"n": 1, "f": 1.5, "nil": None, "t": True, "l": [{"x": 2.0}], "e": {}}
    )
    response.desired.resources["a"].ready = fnv1.READY_TRUE
    response.context.update({"k": 1})
    response.results.add(severity=fnv1.SEVERITY_FATAL, message="m", reason="R", target=fnv1.TARGET_COMPOSITE_AND_CLAIM)
    response.results.add(severity=99, message="newer")
    response.conditions.add(type="C", status=fnv1.STATUS_CONDITION_FALSE, reason="R", message="m")
    response.conditions.add(type="D", status=77, reason="R")
    named, labelled = response.requirements.resources["n"], response.requirements.extra_resources["l"]
    named.api_version, named.kind, named.match_name, named.namespace = "v1", "A", "x", "ns"
    labelled.api_version, labelled.kind = "v1", "B"
    labelled.match_labels.labels["a"] = "b"
    response.requirements.schemas["s"].api_version = "v1"
    response.output.update({"o": 1})
    assert decoded(response.SerializeToString()) == Answer(
        desired=State(
            Resource({"status": {"a": 1}}, {"k": Plaintext("v")}),
            {"a": Resource({"n": 1, "f": 1.5, "nil": None, "t": True, "l": [{"x": 2}], "e": {}}, ready="True")},
        ),
        context={"k": 1},
        results=(Result("Fatal", "m", "R", "CompositeAndClaim"), Result("Unspecified", "newer")),
        conditions=(Condition("C", "False", "R", "m"), Condition("D", "Unknown", "R")),
        requirements=Requirements(
            {"n": Selector(api_version="v1", kind="A", name="x", namespace="ns")},
            {"l": Selector(api_version="v1", kind="B", labels={"a": "b"})},
            {"s": SchemaSelector("v1", "")},
        ),
        ttl_s=90.0,
        output={"o": 1},
    )
    assert type(decoded(response.SerializeToString()).desired.resources["a"].resource["n"]) is int


def test_an_empty_answer_is_one():
    assert decoded(b"") == Answer(ttl_s=0.0)


def test_a_time_to_live_in_the_past_is_none():
    response = fnv1.RunFunctionResponse()
    response.meta.ttl.seconds = -5
    assert decoded(response.SerializeToString()).ttl_s == 0.0


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(-1e9, 1e9).filter(lambda f: not f.is_integer())
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_objects_survive_the_way_there_and_back(obj):
    sent = request(
        Call(observed=State(XR), desired=State(Resource(obj), {"a": Resource(obj, ready="False")}), context=obj)
    )
    back = fnv1.RunFunctionResponse(desired=sent.desired, context=sent.context)
    answer = decoded(back.SerializeToString())
    assert answer.desired.composite.resource == obj
    assert answer.desired.resources["a"] == Resource(obj, ready="False")
    assert answer.context == obj


def nested(depth, kind="struct"):
    response = fnv1.RunFunctionResponse()
    value = response.context.fields["a"]
    for _ in range(depth):
        value = value.struct_value.fields["a"] if kind == "struct" else value.list_value.values.add()
    value.null_value = 0
    return response.SerializeToString()


@pytest.mark.parametrize("kind", ["struct", "list"])
def test_answers_that_are_too_deep_are_refused(kind):
    with pytest.raises((LimitExceeded, InvalidInput)):
        decoded(nested(120, kind))
    assert decoded(nested(20, kind)).context


def test_answers_with_too_many_values_are_refused(monkeypatch):
    monkeypatch.setattr(encoding, "_NODES", 10)
    response = fnv1.RunFunctionResponse()
    response.context.update({"l": list(range(20))})
    with pytest.raises(LimitExceeded):
        decoded(response.SerializeToString())


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_know_are_refused(number):
    response = fnv1.RunFunctionResponse()
    response.context.fields["a"].number_value = number
    with pytest.raises(InvalidInput):
        decoded(response.SerializeToString())


def test_values_without_a_kind_are_refused():
    response = fnv1.RunFunctionResponse()
    response.context.fields["a"].SetInParent()
    with pytest.raises(InvalidInput):
        decoded(response.SerializeToString())


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_or_are_refused(raw):
    with contextlib.suppress(InvalidInput, LimitExceeded):
        assert isinstance(decoded(raw), Answer)


def test_a_missing_sdk_is_told_with_the_way_out(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(sdk, "import_module", missing)
    with pytest.raises(ToolMissing) as refused:
        sdk.grpc()
    assert "plumbline[functions]" in refused.value.hint
