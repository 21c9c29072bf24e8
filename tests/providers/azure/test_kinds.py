"""The kinds are what upstream's CRDs have."""

import pytest

from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Catalogue
from plumbline.providers.azure import PROVIDER, Connections, kinds
from plumbline.providers.azure.schemas import SOURCES

POSTGRESQL = "dbforpostgresql.azure.upbound.io"
UPSTREAM = {
    "azure.upbound.io/ResourceGroup": ("resourcegroups", ("v1beta1",), ("location",), "chosen"),
    f"{POSTGRESQL}/FlexibleServer": ("flexibleservers", ("v1beta2", "v1beta1"), ("location",), "chosen"),
    f"{POSTGRESQL}/FlexibleServerDatabase": ("flexibleserverdatabases", ("v1beta1",), (), "chosen"),
    f"{POSTGRESQL}/FlexibleServerFirewallRule": (
        "flexibleserverfirewallrules",
        ("v1beta1",),
        ("endIpAddress", "startIpAddress"),
        "chosen",
    ),
    f"{POSTGRESQL}/FlexibleServerConfiguration": (
        "flexibleserverconfigurations",
        ("v1beta1",),
        ("name", "value"),
        "assigned",
    ),
}


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue(kinds(Connections(clock=None)))


@pytest.mark.parametrize("name", UPSTREAM)
def test_kinds_are_called_as_upstream_calls_them(name, catalogue):
    group, _, kind = name.partition("/")
    found = catalogue.get(GroupKind(group, kind))
    assert (found.plural, found.versions, found.schemas().required, found.external_name) == UPSTREAM[name]
    assert not found.namespaced
    twin = catalogue.get(GroupKind(group.replace("azure.", "azure.m."), kind))
    assert twin.namespaced
    assert twin.versions == ("v1beta1",)


def test_there_is_no_kind_besides(catalogue):
    assert len(catalogue.kinds) == 2 * len(UPSTREAM)


def test_a_server_has_upstreams_fields(catalogue):
    kind = catalogue.get(GroupKind(POSTGRESQL, "FlexibleServer"))
    fields = kind.schemas().for_provider["properties"]
    assert fields["highAvailability"] == {"x-kubernetes-preserve-unknown-fields": True}
    assert fields["storageMb"] == {"type": "number"}
    assert fields["autoGrowEnabled"] == fields["autoGeneratePassword"] == {"type": "boolean"}
    assert fields["tags"] == {"type": "object", "additionalProperties": {"type": "string"}}
    assert fields["administratorPasswordSecretRef"]["required"] == ["key", "name"]
    assert kind.schemas().at_provider["properties"]["fqdn"] == {"type": "string"}
    assert [(rule.switch, rule.reference) for rule in kind.generates] == [
        ("autoGeneratePassword", "administratorPasswordSecretRef")
    ]
    assert kind.references[0].ref_field == "resourceGroupNameRef"


def test_a_database_finds_its_server_by_reference(catalogue):
    (reference,) = catalogue.get(GroupKind(POSTGRESQL, "FlexibleServerDatabase")).references
    assert (reference.ref_field, reference.selector_field) == ("serverIdRef", "serverIdSelector")
    assert reference.extract == "status.atProvider.id"


def test_a_provider_config_has_upstreams_fields():
    schema = PROVIDER.schema()
    assert schema["required"] == ["credentials"]
    assert schema["properties"]["credentials"]["properties"]["source"]["enum"] == list(SOURCES)
    assert {"clientID", "tenantID", "subscriptionID", "environment", "msiEndpoint"} <= schema["properties"].keys()
    assert PROVIDER.twin_group == "azure.m.upbound.io"
