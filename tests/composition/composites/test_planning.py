import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode
from plumbline.composition import marks
from plumbline.composition.composites.planning import Composing, Observation, planned
from plumbline.composition.functions.values import Resource
from plumbline.kernel.cache import Relevance, cached
from plumbline.kube.names import GroupVersionKind, Ref

XR = {
    "apiVersion": "example.org/v1",
    "kind": "XDatabase",
    "metadata": {"name": "orders", "uid": "u-1", "labels": {marks.COMPOSITE: "orders"}},
}
NAMESPACED = {**XR, "metadata": {**XR["metadata"], "namespace": "shop"}}


def composing(xr=XR, *, namespaced=True):
    return Composing(xr, lambda _: namespaced)


def config_map(**metadata):
    return Resource({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}})


def live(obj):
    obj = {**obj, "metadata": {"uid": "x", "resourceVersion": "1", **obj["metadata"]}}
    return Observation(GroupVersionKind.of(obj), cached(encode(obj), Relevance()), obj, {})


def test_a_new_resource_gets_a_name_that_follows_from_what_people_wrote():
    plan = planned(composing(), {"config": config_map()}, {})
    again = planned(composing({**XR, "metadata": {**XR["metadata"], "uid": "another"}}), {"config": config_map()}, {})
    name = plan.wanted[0].body["metadata"]["name"]
    assert name.startswith("orders-")
    assert len(name) == len("orders-") + 12
    assert again.wanted[0].body["metadata"]["name"] == name
    assert planned(composing(), {"other": config_map()}, {}).wanted[0].body["metadata"]["name"] != name


def test_a_resource_that_is_there_keeps_its_name_whatever_the_composition_says():
    there = live({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "orders-x7k2p", "namespace": "db"}})
    plan = planned(composing(), {"config": config_map(name="else", namespace="there")}, {"config": there})
    assert plan.wanted[0].ref == Ref("", "ConfigMap", "db", "orders-x7k2p")
    assert plan.dropped == ()


def test_composed_resources_carry_crossplanes_marks():
    labelled = {**XR, "metadata": {**XR["metadata"], "labels": {
        marks.COMPOSITE: "root", marks.CLAIM_NAME: "orders", marks.CLAIM_NAMESPACE: "shop"}}}  # fmt: skip
    metadata = planned(composing(labelled), {"config": config_map(labels={"mine": "1"})}, {}).wanted[0].body["metadata"]
    assert metadata["labels"] == {
        "mine": "1", marks.COMPOSITE: "root", marks.CLAIM_NAME: "orders", marks.CLAIM_NAMESPACE: "shop",
    }  # fmt: skip
    assert metadata["annotations"] == {marks.RESOURCE_NAME: "config"}
    assert metadata["generateName"] == "root-"
    assert metadata["ownerReferences"] == [{
        "apiVersion": "example.org/v1", "kind": "XDatabase", "name": "orders", "uid": "u-1",
        "controller": True, "blockOwnerDeletion": True,
    }]  # fmt: skip


def test_what_only_the_server_makes_is_never_applied():
    plan = planned(composing(), {"config": config_map(name="a", uid="1", resourceVersion="2", managedFields=[])}, {})
    assert plan.wanted[0].body["metadata"].keys() == {"name", "labels", "annotations", "ownerReferences"}


def test_a_namespaced_composite_composes_in_its_own_namespace_only():
    plan = planned(composing(NAMESPACED), {"config": config_map(namespace="elsewhere")}, {})
    assert plan.wanted[0].ref.namespace == "shop"
    assert "elsewhere" in plan.overridden[0]
    assert plan.references((), local=True) == [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": plan.wanted[0].ref.name}
    ]


def test_a_namespaced_composite_composes_nothing_that_is_cluster_scoped():
    with pytest.raises(InvalidInput, match="composes nothing that is cluster-scoped"):
        planned(composing(NAMESPACED, namespaced=False), {"config": config_map()}, {})


def test_what_is_no_longer_wanted_is_dropped():
    there = live({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "old"}})
    plan = planned(composing(), {}, {"gone": there})
    assert plan.dropped == (("gone", there),)
    assert plan.references((), local=False) == []
    assert plan.references((("gone", there),), local=False) == [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "old"}
    ]


def test_a_resource_of_another_kind_is_another_resource():
    there = live({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "old"}})
    plan = planned(composing(), {"config": config_map()}, {"config": there})
    assert plan.dropped == (("config", there),)
    assert plan.wanted[0].live is None


def test_a_newer_version_of_a_kind_is_the_same_resource():
    there = live({"apiVersion": "example.org/v1", "kind": "Bucket", "metadata": {"name": "old"}})
    newer = Resource({"apiVersion": "example.org/v2", "kind": "Bucket"})
    assert planned(composing(), {"bucket": newer}, {"bucket": there}).wanted[0].live is there


@pytest.mark.parametrize(
    ("resource", "why"),
    [
        (Resource({"metadata": {}}), "no apiVersion and kind"),
        (config_map(name="Not A Name"), "RFC 1123"),
        (config_map(name="a", ownerReferences=[{"controller": True}]), "another controller"),
    ],
    ids=["nothing", "name", "controller"],
)
def test_what_cannot_be_composed_is_refused_by_name(resource, why):
    with pytest.raises(InvalidInput, match="'config'") as refused:
        planned(composing(), {"config": resource}, {})
    assert why in str(refused.value)


def test_roles_may_be_called_what_only_roles_may():
    role = Resource({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "a:b"}})
    assert planned(composing(), {"role": role}, {}).wanted[0].ref.name == "a:b"


def test_references_come_in_one_order():
    plan = planned(composing(), {"b": config_map(name="b"), "a": config_map(name="a")}, {})
    assert [each["name"] for each in plan.references((), local=False)] == ["a", "b"]
