"""Documents into types without text between, as strategic merge patches are read. All words were recorded from Go."""

import pytest

from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.apiserver.decoding.types import structure
from plumbline.apiserver.decoding.unstructured import converted


@pytest.mark.parametrize(
    ("message", "value", "said"),
    [
        ("core/v1.ConfigMap", {"data": {"a": 1}}, "cannot convert int64 to string"),
        ("core/v1.ConfigMap", {"data": {"a": 1.5}}, "unrecognized type: string"),
        ("core/v1.ConfigMap", {"data": {"a": True}}, "unrecognized type: string"),
        ("core/v1.ConfigMap", {"data": "x"}, "cannot restore map from string"),
        ("core/v1.ConfigMap", {"metadata": []}, "cannot restore struct from: slice"),
        ("core/v1.ConfigMap", {"immutable": "x"}, "unrecognized type: bool"),
        ("core/v1.ConfigMap", {"immutable": 1}, "unrecognized type: bool"),
        (
            "core/v1.ConfigMap",
            {"binaryData": {"a": "%"}},
            "error decoding from json: illegal base64 data at input byte 0",
        ),
        ("core/v1.ConfigMap", {"binaryData": {"a": 1}}, "cannot restore slice from int64"),
        ("core/v1.PodSpec", {"containers": {}}, "cannot restore slice from map"),
        ("core/v1.PodSpec", {"containers": [7.5]}, "cannot restore struct from: float64"),
        ("apps/v1.DeploymentSpec", {"replicas": 1.5}, "cannot convert float64 to int32"),
        ("apps/v1.DeploymentSpec", {"replicas": "1"}, "unrecognized type: int32"),
        ("apps/v1.DeploymentSpec", {"replicas": True}, "unrecognized type: int32"),
        ("apiextensions/v1.JSONSchemaProps", {"maximum": "x"}, "unrecognized type: float64"),
        ("meta/v1.ObjectMeta", {"creationTimestamp": 7}, "json: cannot unmarshal number into Go value of type string"),
    ],
)
def test_the_first_field_that_does_not_fit_is_refused(message, value, said):
    with pytest.raises(Refusal) as refused:
        converted(value, structure(message))
    assert str(refused.value) == said


def test_fields_are_looked_at_in_the_order_of_the_type():
    with pytest.raises(Refusal, match="unrecognized type: bool"):
        converted({"immutable": "x", "binaryData": {"a": "%"}, "data": 7}, structure("core/v1.ConfigMap"))


def test_numbers_lose_what_does_not_fit():
    held = converted(
        {"replicas": 2**33 + 3, "minReadySeconds": -(2**31) - 1, "paused": False}, structure("apps/v1.DeploymentSpec")
    )
    assert held.value == {"replicas": 3, "minReadySeconds": 2**31 - 1, "paused": False}
    assert converted({"replicas": 3.0}, structure("apps/v1.DeploymentSpec")).value == {"replicas": 3}
    assert converted({"maximum": 3}, structure("apiextensions/v1.JSONSchemaProps")).value == {"maximum": 3}


def test_unknown_fields_are_dropped_and_told_in_order():
    value = {"zeta": 1, "metadata": {"name": "a", "x": {}, "labels": {"a": None}}, "data": None, "alpha": None}
    held = converted(value, structure("core/v1.ConfigMap"))
    assert held.value == {"metadata": {"name": "a", "labels": {"a": None}}}
    assert held.complaints == ('unknown field "alpha"', 'unknown field "metadata.x"', 'unknown field "zeta"')
    assert converted(value, structure("core/v1.ConfigMap"), strict=False).complaints == ()


def test_unknown_fields_of_items_are_told_with_their_place():
    value = {"containers": [{"name": "a"}, {"env": [{"bogus": 1}]}], "volumes": [{"emptyDir": {}}]}
    assert converted(value, structure("core/v1.PodSpec")).complaints == ('unknown field "containers[1].env[0].bogus"',)


def test_bytes_and_types_that_read_themselves_are_read():
    value = {"binaryData": {"a": "aGk="}, "metadata": {"creationTimestamp": "2024-01-01T00:00:00Z"}}
    assert converted(value, structure("core/v1.ConfigMap")).value == value
