"""The types that bodies are decoded into."""

import pytest

from plumbline.apiserver.decoding.names import names_in
from plumbline.apiserver.decoding.types import Mapping, Sequence, Special, Structure, body_type, structure
from plumbline.apiserver.protobuf.table import BODIES
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape


@pytest.mark.parametrize(
    ("message", "field", "text"),
    [
        ("core/v1.Container", "name", "string"),
        ("core/v1.Container", "imagePullPolicy", "v1.PullPolicy"),
        ("core/v1.Container", "ports", "[]v1.ContainerPort"),
        ("core/v1.ResourceRequirements", "limits", "v1.ResourceList"),
        ("core/v1.PersistentVolumeClaimSpec", "accessModes", "[]v1.PersistentVolumeAccessMode"),
        ("core/v1.ConfigMap", "binaryData", "map[string][]uint8"),
        ("apps/v1.DeploymentSpec", "replicas", "int32"),
        ("meta/v1.ObjectMeta", "uid", "types.UID"),
        ("meta/v1.ObjectMeta", "creationTimestamp", "v1.Time"),
        ("authentication/v1.UserInfo", "extra", "map[string]v1.ExtraValue"),
        ("apiextensions/v1.JSONSchemaProps", "definitions", "v1.JSONSchemaDefinitions"),
        ("apiextensions/v1.JSONSchemaProps", "maximum", "float64"),
        ("resource/v1.Device", "attributes", "map[v1.QualifiedName]v1.DeviceAttribute"),
    ],
)
def test_fields_have_the_types_that_go_prints(message, field, text):
    assert structure(message).members[field].type.text == text


@pytest.mark.parametrize(
    ("message", "field", "path"),
    [
        ("core/v1.ConfigMap", "kind", ("TypeMeta", "kind")),
        ("core/v1.ConfigMap", "data", ("data",)),
        ("core/v1.Volume", "emptyDir", ("VolumeSource", "emptyDir")),
        ("core/v1.SecretKeySelector", "name", ("LocalObjectReference", "name")),
        ("admissionregistration/v1.NamedRuleWithOperations", "scope", ("RuleWithOperations", "Rule", "scope")),
    ],
)
def test_fields_of_embedded_structures_say_which(message, field, path):
    assert structure(message).members[field].path == path


def test_every_served_kind_has_a_type():
    assert [each.kind for each in builtin_resources() if body_type(each.kind) is None] == []
    assert body_type(GroupVersionKind("example.org", "v1", "Thing")) is None


def test_types_know_the_fields_that_schemas_know():
    wrong = {}
    for resource in builtin_resources():
        type_, shape = body_type(resource.kind), builtin_shape(resource.kind)
        assert type_ is not None
        assert shape is not None
        if type_.members.keys() != shape.fields.keys():
            wrong[resource.kind] = type_.members.keys() ^ shape.fields.keys()
    assert wrong == {}


def test_every_name_in_the_table_is_of_a_field_that_is_there():
    for message in BODIES.messages:
        known = {field.name for field in BODIES.fields(message)}
        assert names_in(message).keys() <= known, message


def test_all_types_can_be_put_together():
    seen: set[str] = set()
    waiting = [structure(message) for message in BODIES.kinds.values()]
    while waiting:
        type_ = waiting.pop()
        for member in type_.members.values():
            below = member.type
            while isinstance(below, Sequence | Mapping):
                below = below.item if isinstance(below, Sequence) else below.value
            if isinstance(below, Structure) and below.message not in seen:
                seen.add(below.message)
                waiting.append(below)
            assert isinstance(below, Special) or below.text
            assert repr(below) == below.text
    assert len(seen) > 400
