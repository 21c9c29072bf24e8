"""Definitions of built-in kinds, in both dialects."""

import pytest

from plumbline.apiserver.openapi.definitions import OPENAPI, SWAGGER, Definitions
from plumbline.apiserver.openapi.enums import enum_of
from plumbline.apiserver.openapi.names import full_name
from plumbline.base.json import encode
from plumbline.kube.names import GroupVersion


def definition(short, dialect=OPENAPI, **more):
    name = full_name(short)
    return Definitions(dialect, **more).closure([name])[name]


DEFAULTS = [
    ("core.v1.ContainerPort", "protocol", "TCP", "a default that means something"),
    ("core.v1.ContainerPort", "containerPort", 0, "what is required has the zero value of its type"),
    ("core.v1.Container", "name", "", "same"),
    ("core.v1.ContainerStatus", "ready", False, "same"),
    ("apps.v1.Deployment", "spec", {}, "the parts of a kind are always there"),
    ("apps.v1.Deployment", "metadata", {}, "same"),
    ("apps.v1.DeploymentSpec", "template", {}, "so is a required object"),
    ("apps.v1.DeploymentSpec", "strategy", {}, "and an optional one that Go always writes"),
    ("apps.v1.DeploymentSpec", "selector", None, "unless it is a pointer in Go"),
    ("apps.v1.DeploymentSpec", "replicas", None, "an optional scalar has none"),
    ("core.v1.PodSpec", "securityContext", None, "an optional object has none"),
    ("core.v1.PodSpec", "containers", None, "a list has none"),
    ("core.v1.ReplicationControllerSpec", "replicas", 1, "a default that means something"),
    ("certificates.v1.CertificateSigningRequestSpec", "request", None, "bytes have none"),
    ("meta.v1.ObjectMeta", "creationTimestamp", None, "a time has none"),
    ("meta.v1.Condition", "lastTransitionTime", None, "even where it is required"),
]


@pytest.mark.parametrize(
    ("short", "field", "default", "why"), DEFAULTS, ids=[f"{s}.{f}: {w}" for s, f, _, w in DEFAULTS]
)
def test_openapi_declares_the_defaults_of_go(short, field, default, why):
    schema = definition(short)["properties"][field]
    assert schema.get("default") == default
    assert ("default" in schema) is (default is not None)


def test_swagger_declares_none():
    assert b'"default":' not in encode(definition("core.v1.ContainerPort", SWAGGER))


def test_items_and_values_have_the_zero_value_of_their_type():
    fields = definition("core.v1.Container")["properties"]
    assert fields["args"]["items"] == {"type": "string", "default": ""}
    assert fields["env"]["items"] == {"allOf": [OPENAPI.refer(full_name("core.v1.EnvVar"))], "default": {}}
    assert definition("core.v1.ConfigMap")["properties"]["data"]["additionalProperties"]["default"] == ""
    assert definition("core.v1.Secret")["properties"]["data"]["additionalProperties"] == {
        "type": "string",
        "format": "byte",
    }


def test_openapi_wraps_references_that_have_something_beside_them():
    affinity = definition("core.v1.PodSpec")["properties"]["affinity"]
    assert affinity.keys() == {"description", "allOf"}
    assert definition("core.v1.PodSpec", SWAGGER)["properties"]["affinity"].keys() == {"description", "$ref"}
    assert definition("core.v1.ResourceRequirements")["properties"]["limits"]["additionalProperties"] == {
        "$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"
    }


def test_types_are_said_without_the_null_of_the_catalog():
    assert definition("core.v1.ContainerPort")["properties"]["hostPort"]["type"] == "integer"
    assert definition("core.v1.ContainerPort")["type"] == "object"


def test_versions_and_kinds_are_not_restricted():
    assert "enum" not in definition("apps.v1.Deployment")["properties"]["kind"]


def test_fields_with_known_values_say_so():
    kind = definition("core.v1.ServiceSpec")["properties"]["type"]
    assert kind["enum"] == ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]
    assert kind["description"].endswith(
        'Possible enum values:\n - `"ClusterIP"`\n - `"ExternalName"`\n - `"LoadBalancer"`\n - `"NodePort"`'
    )
    families = definition("core.v1.ServiceSpec")["properties"]["ipFamilies"]
    assert families["items"]["enum"] == ["", "IPv4", "IPv6"]
    assert "Possible" not in families["description"]


ENUMS = [
    ("core.v1.Lifecycle", "stopSignal", 65, "signals"),
    ("certificates.v1.CertificateSigningRequestSpec", "usages[]", 23, "usages, some with spaces"),
    ("core.v1.PersistentVolumeClaimStatus", "allocatedResourceStatuses{}", 5, "values of a map"),
    ("core.v1.HostPathVolumeSource", "type", 8, "the empty string is one of them"),
]


@pytest.mark.parametrize(("short", "field", "count", "why"), ENUMS, ids=[why for *_, why in ENUMS])
def test_the_table_of_values_knows(short, field, count, why):
    values = enum_of(short, field)
    assert len(values) == count
    assert values == sorted(values)


def test_numbers_with_units_and_ports_are_alternatives_in_openapi_and_strings_in_swagger():
    assert definition("api.resource.Quantity")["oneOf"] == [{"type": "string"}, {"type": "number"}]
    assert definition("util.intstr.IntOrString")["oneOf"] == [{"type": "integer"}, {"type": "string"}]
    assert definition("api.resource.Quantity", SWAGGER)["type"] == "string"
    assert definition("util.intstr.IntOrString", SWAGGER)["format"] == "int-or-string"


def test_a_closure_has_everything_that_it_refers_to():
    found = Definitions(OPENAPI).closure([full_name("apps.v1.Deployment")])
    encoded = encode(found).decode()
    referred = {part.split('"')[0] for part in encoded.split('"#/components/schemas/')[1:]}
    assert referred <= found.keys()
    assert full_name("core.v1.ContainerPort") in found
    assert list(found) == sorted(found)


def test_options_are_known_in_the_versions_of_their_document():
    labels = definition("meta.v1.DeleteOptions", option_versions=[GroupVersion("apps", "v1")])
    assert labels["x-kubernetes-group-version-kind"] == [{"group": "apps", "kind": "DeleteOptions", "version": "v1"}]
    assert len(definition("meta.v1.DeleteOptions")["x-kubernetes-group-version-kind"]) > 50


def test_a_definition_that_the_catalog_does_not_know_is_empty():
    assert definition("core.v1.Nothing") == {}
