"""Zeros, bytes and strangers: what the server's structures make of an object before any default."""

import pytest
from tests.apiserver.defaults.samples import held

from plumbline.apiserver.defaults.structs import struct_of
from plumbline.apiserver.defaults.zeros import UNWRITTEN, WRITTEN, kept
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema.builtin import catalog
from plumbline.kube.schema.shape import Form

POD = GroupVersionKind("", "v1", "Pod")
CRD = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")


def test_zeros_that_mean_absence_are_not_written():
    spec = {"hostNetwork": False, "nodeName": "", "automountServiceAccountToken": False, "containers": [{"name": "c"}]}
    written = struct_of(POD)({"spec": spec})["spec"]
    assert written == {"automountServiceAccountToken": False, "containers": [{"name": "c"}]}


def test_fields_that_no_type_declares_are_gone():
    assert struct_of(POD)({"spec": {"containers": [{"name": "c", "colour": "red"}], "colour": "red"}, "more": 1}) == {
        "spec": {"containers": [{"name": "c"}]}
    }


def test_zeros_that_are_always_written_are_there():
    pdb = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "x"}}
    assert held(pdb)["status"] == {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}


def test_an_empty_list_that_must_be_written_is_null():
    limits = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "x"}, "spec": {"limits": []}}
    assert held(limits)["spec"] == {"limits": None}


def test_an_empty_port_is_a_number():
    probe = struct_of(POD)({"spec": {"containers": [{"name": "c", "livenessProbe": {"httpGet": {}}}]}})
    assert probe["spec"]["containers"][0]["livenessProbe"]["httpGet"] == {"port": 0}


def test_bytes_that_are_none_are_absent():
    hooks = GroupVersionKind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration")
    hook = {"name": "w", "clientConfig": {"caBundle": ""}, "sideEffects": "None", "admissionReviewVersions": ["v1"]}
    assert struct_of(hooks)({"webhooks": [hook]})["webhooks"][0]["clientConfig"] == {}


@pytest.mark.parametrize("place", ["items", "not", "additionalProperties"])
def test_schemas_are_structures_all_the_way_down(place):
    version = {"name": "v1", "served": True, "storage": True}
    for schema in ({place: {"nullable": False, "type": "x"}}, {"items": [{place: {"nullable": False, "type": "x"}}]}):
        written = struct_of(CRD)({"spec": {"versions": [{**version, "schema": {"openAPIV3Schema": schema}}]}})
        assert "nullable" not in str(written)


def test_a_default_in_a_schema_is_no_structure():
    schema = {"type": "object", "default": {"nullable": False, "zero": 0, "none": []}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    written = struct_of(CRD)({"spec": {"versions": [version]}})
    assert written["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == schema


def test_what_is_written_so_already_is_shared():
    pod = {"spec": {"containers": [{"name": "c", "image": "x"}]}}
    assert struct_of(POD)(pod) is pod


def test_a_kind_that_kubernetes_does_not_know_stays_as_it_is():
    obj = {"zero": 0}
    assert struct_of(GroupVersionKind("example.com", "v1", "Widget"))(obj) is obj


@pytest.mark.parametrize("name", kept(), ids=str)
def test_kept_zeros_are_of_optional_fields(name):
    shape = catalog().shape(name)
    for field in kept()[name]:
        assert shape.fields[field].form is Form.SCALAR
        assert field not in shape.required


@pytest.mark.parametrize("name", WRITTEN, ids=str)
def test_written_zeros_are_of_optional_fields(name):
    shape = catalog().shape(name)
    assert WRITTEN[name].keys() <= shape.fields.keys()
    assert not WRITTEN[name].keys() & shape.required


@pytest.mark.parametrize("name", UNWRITTEN, ids=str)
def test_unwritten_lists_are_required(name):
    assert set(UNWRITTEN[name]) <= catalog().shape(name).required
