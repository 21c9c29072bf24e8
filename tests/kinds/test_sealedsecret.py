"""SealedSecrets, typed: what people write is read, whatever its age, and nothing in it is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.kinds.crd import Leave, crd_manifest, plan_crd
from plumbline.kinds.read import read
from plumbline.kinds.sealedsecret import SEALED_SECRET

SCHEMA = crd_manifest(SEALED_SECRET)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def sealed(spec, **more):
    metadata = {"name": "db", "namespace": "shop"}
    return {"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "metadata": metadata, "spec": spec, **more}


def test_a_whole_one_is_read():
    spec = {
        "encryptedData": {"password": "AgA="},
        "template": {
            "metadata": {"labels": {"app": "shop"}, "annotations": {"a": "b"}},
            "type": "kubernetes.io/basic-auth",
            "immutable": True,
            "data": {"url": "postgres://{{ .password }}", "password": None},
        },
    }
    got = read(SEALED_SECRET, sealed(spec))
    assert got.unknown == ()
    assert got.spec.encrypted_data == {"password": "AgA="}
    assert got.spec.template.metadata == {"labels": {"app": "shop"}, "annotations": {"a": "b"}}
    assert (got.spec.template.type, got.spec.template.immutable) == ("kubernetes.io/basic-auth", True)
    assert got.spec.template.data == {"url": "postgres://{{ .password }}", "password": None}


def test_a_bare_one_asks_for_an_opaque_secret_of_nothing_more():
    spec = read(SEALED_SECRET, sealed({"encryptedData": {"a": "AgA="}})).spec
    template = spec.template
    assert (template.metadata, template.type, template.immutable, template.data, spec.data) == (
        None,
        "",
        None,
        None,
        "",
    )


@given(st.dictionaries(st.text(max_size=5), ANYTHING, max_size=4))
def test_whatever_stands_in_place_of_a_sealed_value_arrives(values):
    assert read(SEALED_SECRET, sealed({"encryptedData": values})).spec.encrypted_data == values


def test_the_old_form_needs_no_items_beside_it():
    spec = read(SEALED_SECRET, sealed({"data": "AgBy"})).spec
    assert (spec.data, spec.encrypted_data) == ("AgBy", {})


def test_the_api_server_still_demands_items():
    assert SCHEMA["spec"]["required"] == ["encryptedData"]


@pytest.mark.parametrize("metadata", [None, {}, {"creationTimestamp": None, "managedFields": [{"manager": "x"}]}])
def test_metadata_of_the_template_is_kept_as_it_is(metadata):
    spec = {"encryptedData": {}, "template": {"metadata": metadata}}
    got = read(SEALED_SECRET, sealed(spec))
    assert got.spec.template.metadata == metadata
    assert got.unknown == ()


def test_metadata_of_the_template_is_described_as_far_as_upstream_does():
    metadata = SCHEMA["spec"]["properties"]["template"]["properties"]["metadata"]
    assert metadata["properties"].keys() == {"annotations", "finalizers", "labels", "name", "namespace"}
    assert metadata["nullable"]
    assert metadata["x-kubernetes-preserve-unknown-fields"]


@pytest.mark.parametrize("field", ["encryptedData", "template"])
def test_what_the_kind_does_not_know_is_not_pruned(field):
    assert SCHEMA["spec"]["properties"][field]["x-kubernetes-preserve-unknown-fields"]


WRONG = [
    ({"encryptedData": ["AgA="]}, "spec.encryptedData"),
    ({"encryptedData": {}, "template": {"type": 1}}, "spec.template.type"),
    ({"encryptedData": {}, "template": {"data": {"a": 1}}}, "spec.template.data"),
    ({"encryptedData": {}, "template": {"immutable": "yes"}}, "spec.template.immutable"),
]


@pytest.mark.parametrize(("spec", "path"), WRONG, ids=[path for _, path in WRONG])
def test_what_cannot_be_used_is_named(spec, path):
    with pytest.raises(InvalidInput, match=path.replace(".", r"\.")):
        read(SEALED_SECRET, sealed(spec))


def test_a_status_that_upstream_wrote_is_read():
    condition = {
        "type": "Synced",
        "status": "False",
        "lastUpdateTime": "2026-01-31T12:00:00Z",
        "lastTransitionTime": "2026-01-31T11:00:00Z",
        "message": "no key could decrypt secret (password)",
    }
    status = {"observedGeneration": 3, "conditions": [condition]}
    got = read(SEALED_SECRET, sealed({"encryptedData": {}}, status=status))
    assert got.unreadable == ()
    assert got.status.observed_generation == 3
    (synced,) = got.status.conditions
    assert (synced.type, synced.status, synced.reason) == ("Synced", "False", "")
    assert str(synced.last_update_time) == "2026-01-31T12:00:00Z"


def test_a_definition_that_is_already_there_from_upstream_stays():
    ours = crd_manifest(SEALED_SECRET)
    theirs = {**ours, "metadata": {"name": SEALED_SECRET.crd_name, "labels": {"app.kubernetes.io/managed-by": "Helm"}}}
    assert plan_crd(ours, theirs) == Leave("It was installed by Helm and stays as it is")
