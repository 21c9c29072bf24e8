"""The derived file is what Google's documents say, and the kinds are what upstream's CRDs have."""

import runpy
from pathlib import Path

import pytest

from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Catalogue
from plumbline.providers.gcp.accounts import Connections
from plumbline.providers.gcp.provider import PROVIDER, kinds
from plumbline.providers.gcp.schemas import SOURCES

ROOT = Path(__file__).parents[3]
UPSTREAM = {
    "sql.gcp.upbound.io/DatabaseInstance": ("databaseinstances", ("v1beta2", "v1beta1"), ("databaseVersion",)),
    "sql.gcp.upbound.io/Database": ("databases", ("v1beta1",), ()),
    "sql.gcp.upbound.io/User": ("users", ("v1beta2", "v1beta1"), ()),
    "storage.gcp.upbound.io/Bucket": ("buckets", ("v1beta2", "v1beta3", "v1beta1"), ("location",)),
    "compute.gcp.upbound.io/Network": ("networks", ("v1beta1",), ()),
    "compute.gcp.upbound.io/Subnetwork": ("subnetworks", ("v1beta2", "v1beta1"), ("ipCidrRange", "region")),
    "redis.gcp.upbound.io/Instance": ("instances", ("v1beta2", "v1beta1"), ("memorySizeGb", "region")),
    "pubsub.gcp.upbound.io/Topic": ("topics", ("v1beta2", "v1beta1"), ()),
}


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue(kinds(Connections(clock=None)))


def test_the_facts_are_those_of_the_installed_documents():
    tool = runpy.run_path(str(ROOT / "tools" / "gcp_facts.py"))
    assert tool["TARGET"].read_text() == tool["text"](), "run tools/gcp_facts.py --write"


@pytest.mark.parametrize("name", UPSTREAM)
def test_kinds_are_called_as_upstream_calls_them(name, catalogue):
    plural, versions, required = UPSTREAM[name]
    group, _, kind = name.partition("/")
    found = catalogue.get(GroupKind(group, kind))
    assert (found.plural, found.versions, found.schemas().required) == (plural, versions, required)
    assert not found.namespaced
    twin = catalogue.get(GroupKind(group.replace("gcp.", "gcp.m."), kind))
    assert twin.namespaced
    assert twin.versions[0] == "v1beta1"


def test_there_is_no_kind_besides(catalogue):
    assert len(catalogue.kinds) == 2 * len(UPSTREAM)


def test_fields_that_are_objects_in_one_version_and_lists_in_another_have_no_type(catalogue):
    schema = catalogue.get(GroupKind("sql.gcp.upbound.io", "DatabaseInstance")).schemas()
    fields = schema.for_provider["properties"]
    assert fields["settings"] == {"x-kubernetes-preserve-unknown-fields": True}
    assert fields["databaseVersion"] == {"type": "string"}
    assert fields["deletionProtection"] == {"type": "boolean"}
    assert fields["rootPasswordSecretRef"]["required"] == ["key", "name"]
    assert schema.at_provider["properties"]["connectionName"] == {"type": "string"}


def test_lists_of_objects_are_lists_of_objects(catalogue):
    fields = catalogue.get(GroupKind("storage.gcp.upbound.io", "Bucket")).schemas().for_provider["properties"]
    assert fields["lifecycleRule"]["items"]["properties"]["condition"] == {"x-kubernetes-preserve-unknown-fields": True}
    assert fields["labels"] == {"type": "object", "additionalProperties": {"type": "string"}}
    assert fields["cors"]["items"]["properties"]["maxAgeSeconds"] == {"type": "number"}


def test_a_provider_config_has_upstreams_fields():
    schema = PROVIDER.schema()
    assert schema["required"] == ["credentials", "projectID"]
    assert schema["properties"]["credentials"]["properties"]["source"]["enum"] == list(SOURCES)
