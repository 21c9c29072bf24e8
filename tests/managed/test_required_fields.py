"""What a CRD demands of whoever writes an object, and what it leaves to the provider."""

import msgspec
import pytest

from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Reference, Schema
from plumbline.managed.manifests import managed_crd

from .town import catalogue


def demanded(field, schema, *references):
    """The rules for a kind that cannot do without *field*."""
    kind = next(iter(catalogue(None).kinds.values()))
    schemas = Schema({"type": "object", "properties": {field: schema}}, {"type": "object"}, required=(field,))
    kind = msgspec.structs.replace(kind, schemas=lambda: schemas, references=references)
    spec = managed_crd(kind)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return [rule["message"] for rule in spec.get("x-kubernetes-validations", [])]


@pytest.mark.parametrize(
    ("schema", "visible", "why"),
    [
        ({"type": "string"}, True, "plain"),
        ({"type": "array", "items": {"type": "string"}}, True, "a list"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, True, "a map"),
        ({"x-kubernetes-preserve-unknown-fields": True}, False, "rules do not see what has no type"),
        ({"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}}, False, "nor lists of it"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_field_is_demanded_where_a_rule_can_see_it(schema, visible, why):
    assert bool(demanded("size", schema)) is visible, why


def test_a_field_that_may_come_of_a_reference_is_not_demanded():
    texts = {"type": "array", "items": {"type": "string"}}
    assert demanded("subnetIds", texts, Reference("subnetIds", GroupKind("g", "Subnet"), many=True)) == []
