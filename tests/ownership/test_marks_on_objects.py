"""Who says, by labels, annotations and references, that an object is theirs."""

import pytest

from plumbline.base.json import encode
from plumbline.kube.names import GroupKind, Ref
from plumbline.ownership import ClusterObject, Owner
from plumbline.ownership.learn import Setting, Tracking, TrackingId, facts_of, learn, read_facts
from plumbline.ownership.scopes import Scopes

TRACKING = "argocd.argoproj.io/tracking-id"
INSTALLATION = "argocd.argoproj.io/installation-id"


def obj(kind="apps/v1 Deployment", name="web", namespace="shop", **metadata):
    version, _, kind = kind.partition(" ")
    named = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": version, "kind": kind, "metadata": named | metadata}


def owner_of(obj_, setting=None):
    """The owners that it declares, as people read them."""
    learned = learn(facts_of(obj_), setting or Setting())
    return [str(claim.owner) for claim in learned.claims if claim.strength == "declared"]


def reference(kind="apps/v1 ReplicaSet", name="web-1", *, controller=True):
    version, _, kind = kind.partition(" ")
    return {"apiVersion": version, "kind": kind, "name": name, "uid": "u", "controller": controller}


IDS = [
    ("shop:apps/Deployment:shop/web", "shop", Ref("apps", "Deployment", "shop", "web"), "the usual form"),
    ("shop:/Service:shop/web", "shop", Ref("", "Service", "shop", "web"), "the core group has no name"),
    ("team_shop:apps/Deployment:shop/web", "team_shop", Ref("apps", "Deployment", "shop", "web"), "from another namespace"),
    (
        "shop:rbac.authorization.k8s.io/ClusterRole:shop/system:reader",
        "shop",
        Ref("rbac.authorization.k8s.io", "ClusterRole", "shop", "system:reader"),
        "colons after the second belong to the name",
    ),
    (":apps/Deployment:shop/web", "", Ref("apps", "Deployment", "shop", "web"), "empty, but of the right form"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "application", "ref", "why"), IDS, ids=[row[3] for row in IDS])
def test_a_tracking_id_is_read_as_upstream_reads_it(text, application, ref, why):
    assert TrackingId.parse(text) == (application, ref)


@pytest.mark.parametrize(
    "text", ["", "shop", "shop:apps/Deployment", "shop:Deployment:shop/web", "shop:apps/Deployment:web", "a:b/c/d:e/f", "a:b/c:d/e/f"]
)  # fmt: skip
def test_what_is_not_exactly_of_that_form_is_nobodys(text):
    assert TrackingId.parse(text) is None
    assert owner_of(obj(annotations={TRACKING: text})) == []


TRACKED = [
    ("shop:apps/Deployment:shop/web", {}, ["Application argocd/shop"], "its own id"),
    ("team_shop:apps/Deployment:shop/web", {}, ["Application team/shop"], "an Application elsewhere"),
    ("shop:apps/Deployment:shop/other", {}, [], "a copy from another object"),
    ("shop:apps/Deployment:cart/web", {}, [], "a copy from another namespace"),
    ("shop:extensions/Deployment:shop/web", {}, [], "a copy from another group"),
    ("shop:apps/StatefulSet:shop/web", {}, [], "a copy from another kind"),
    (":apps/Deployment:shop/web", {}, [], "no Application"),
    ("shop:apps/Deployment:shop/web", {INSTALLATION: "theirs"}, [], "another installation's"),
]


@pytest.mark.parametrize(("text", "more", "expected", "why"), TRACKED, ids=[row[3] for row in TRACKED])
def test_an_object_belongs_to_the_application_that_tracks_exactly_it(text, more, expected, why):
    assert owner_of(obj(annotations={TRACKING: text} | more)) == expected


def test_an_object_without_namespace_carries_the_one_that_is_deployed_to():
    namespace = obj("v1 Namespace", "shop", "", annotations={TRACKING: "shop:/Namespace:anywhere/shop"})
    assert owner_of(namespace) == ["Application argocd/shop"]


def test_an_installation_sees_only_its_own_marks():
    setting = Setting(Tracking(installation_id="ours"))
    text = "shop:apps/Deployment:shop/web"
    assert owner_of(obj(annotations={TRACKING: text, INSTALLATION: "ours"}), setting) == ["Application argocd/shop"]
    assert owner_of(obj(annotations={TRACKING: text}), setting) == []


def test_a_label_counts_only_where_labels_are_the_method():
    labelled = obj(labels={"app.kubernetes.io/instance": "shop"})
    both = obj(
        labels={"app.kubernetes.io/instance": "cut-off"}, annotations={TRACKING: "shop:apps/Deployment:shop/web"}
    )
    by_label = Setting(Tracking("label", namespace="gitops"))
    assert owner_of(labelled) == []
    assert owner_of(labelled, by_label) == ["Application gitops/shop"]
    assert owner_of(obj(labels={"mine": "shop"}), Setting(Tracking("label", "mine"))) == ["Application argocd/shop"]
    assert owner_of(both, Setting(Tracking("annotation+label"))) == ["Application argocd/shop"]
    assert owner_of(labelled, Setting(Tracking("annotation+label"))) == []
    assert owner_of(obj(labels={"app.kubernetes.io/instance": "shop"}, ownerReferences=[reference()]), by_label) == []


def test_a_helm_release_says_so_with_both_annotations():
    marks = {"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "shop"}
    assert owner_of(obj(annotations=marks)) == ["Helm release shop/web"]
    assert owner_of(obj(annotations={"meta.helm.sh/release-name": "web"})) == []
    assert owner_of(obj(labels={"app.kubernetes.io/managed-by": "Helm"})) == [], "rendered charts have it too"
    assert owner_of(obj(annotations=marks, ownerReferences=[reference()])) == [], (
        "deployments hand it to their children"
    )


def test_flux_says_so_with_labels_and_takes_its_helm_releases_along():
    kustomized = {"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
    released = {"helm.toolkit.fluxcd.io/name": "web", "helm.toolkit.fluxcd.io/namespace": "shop"}
    marks = {"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "shop"}
    assert owner_of(obj(labels=kustomized)) == ["Flux Kustomization.kustomize.toolkit.fluxcd.io/flux-system/apps"]
    assert owner_of(obj(labels=released, annotations=marks)) == ["Flux HelmRelease.helm.toolkit.fluxcd.io/shop/web"]


def test_two_marks_are_two_claims():
    marks = {"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "shop"}
    both = obj(annotations=marks | {TRACKING: "shop:apps/Deployment:shop/web"})
    assert owner_of(both) == ["Application argocd/shop", "Helm release shop/web"]


def test_a_composed_object_belongs_to_its_composite():
    composed = obj(
        "rds.aws.upbound.io/v1beta3 Instance",
        "orders-abc",
        "",
        annotations={"crossplane.io/composition-resource-name": "rds"},
        labels={
            "crossplane.io/composite": "orders",
            "crossplane.io/claim-name": "orders",
            "crossplane.io/claim-namespace": "shop",
        },
        ownerReferences=[reference("example.org/v1 XDatabase", "orders")],
    )
    setting = Setting(scopes=Scopes({GroupKind("example.org", "XDatabase"): False}))
    assert owner_of(composed, setting) == ["composite XDatabase.example.org/orders"]
    unmarked = composed | {"metadata": composed["metadata"] | {"annotations": {}}}
    assert owner_of(unmarked, setting) == []


def test_a_composite_belongs_to_its_claim_and_a_nested_one_to_its_composite():
    labels = {"crossplane.io/claim-name": "orders", "crossplane.io/claim-namespace": "shop"}
    kinds = {GroupKind("example.org", "XDatabase"): GroupKind("example.org", "Database")}
    setting = Setting(claim_kinds=kinds, scopes=Scopes({GroupKind("example.org", "XDatabase"): False}))
    composite = obj("example.org/v1 XDatabase", "orders-x", "", labels=labels)
    assert owner_of(composite, setting) == ["claim Database.example.org/shop/orders"]
    assert owner_of(composite) == [], "only known composites: everything they compose has the labels"
    empty = {"crossplane.io/claim-name": "", "crossplane.io/claim-namespace": ""}
    assert owner_of(obj("example.org/v1 XDatabase", "orders-x", "", labels=empty), setting) == []
    nested = obj(
        "example.org/v1 XDatabase",
        "orders-y",
        "",
        labels=labels,
        annotations={"crossplane.io/composition-resource-name": "db"},
        ownerReferences=[reference("example.org/v1 XShop", "root")],
    )
    assert owner_of(nested, setting) == ["composite XShop.example.org/root"]


def test_a_child_has_a_parent_and_no_traces():
    pod = obj(
        "v1 Pod", "web-1-x", ownerReferences=[reference()], managedFields=[{"manager": "kube-controller-manager"}]
    )
    learned = learn(facts_of(pod), Setting())
    child = ClusterObject(Ref("", "Pod", "shop", "web-1-x"))
    assert learned.claims == ()
    assert learned.parents == ((child, ClusterObject(Ref("apps", "ReplicaSet", "shop", "web-1"))),)


def test_the_controller_is_the_parent_and_else_the_first_that_is_named():
    several = [reference("v1 ConfigMap", "a", controller=False), reference("apps/v1 ReplicaSet", "b")]
    none = [reference("v1 Node", "worker", controller=False), reference("v1 ConfigMap", "a", controller=False)]
    for references, expected in (
        (several, Ref("apps", "ReplicaSet", "shop", "b")),
        (none, Ref("", "Node", "", "worker")),
    ):
        ((_, parent),) = learn(facts_of(obj(ownerReferences=references)), Setting()).parents
        assert parent.ref == expected


def test_without_a_declared_owner_the_field_managers_are_traces():
    managers = [
        {"manager": "kubectl-edit", "operation": "Update"},
        {"manager": "my-operator", "operation": "Apply"},
        {"manager": "my-operator", "operation": "Update"},
        {"manager": "kube-controller-manager", "operation": "Update", "subresource": "status"},
        {"operation": "Update"},
    ]
    claims = learn(facts_of(obj(managedFields=managers)), Setting()).claims
    assert [(claim.owner, claim.strength) for claim in claims] == [
        (Owner("person", "kubectl-edit"), "observed"),
        (Owner("controller", "my-operator"), "observed"),
    ]
    tracked = obj(managedFields=managers, annotations={TRACKING: "shop:apps/Deployment:shop/web"})
    assert [claim.strength for claim in learn(facts_of(tracked), Setting()).claims] == ["declared"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"annotations": {TRACKING: "shop:apps/Deployment:shop/web"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
        {"ownerReferences": [reference()], "labels": {"a": "b"}},
        {"ownerReferences": [reference(controller=None)]},
        {"managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}], "creationTimestamp": None},
        {"labels": {"number": 5}, "annotations": {TRACKING: "shop:apps/Deployment:shop/web"}},
        {"managedFields": "garbage", "ownerReferences": "garbage"},
    ],
)
def test_facts_are_the_same_from_bytes_and_from_a_dict(metadata):
    raw = obj(**metadata)
    assert read_facts(encode(raw), GroupKind("apps", "Deployment"), "here") == facts_of(raw, "here")


def test_a_list_of_metadata_is_told_which_kind_it_is_of():
    partial = {
        "apiVersion": "meta.k8s.io/v1",
        "kind": "PartialObjectMetadata",
        "metadata": {"name": "a", "labels": {"x": 1}},
    }
    kind = GroupKind("", "ConfigMap")
    assert (
        read_facts(encode(partial), kind).object.ref == facts_of(partial, kind=kind).object.ref == Ref(*kind, "", "a")
    )


@pytest.mark.parametrize(
    ("group", "kind", "expected"),
    [
        ("", "Namespace", False),
        ("", "ConfigMap", True),
        ("rbac.authorization.k8s.io", "ClusterRole", False),
        ("rds.aws.upbound.io", "Instance", False),
        ("rds.aws.m.upbound.io", "Instance", True),
        ("azure.upbound.io", "ResourceGroup", False),
        ("pkg.crossplane.io", "Provider", False),
        ("postgresql.sql.crossplane.io", "Role", False),
        ("example.org", "Thing", True),
    ],
)
def test_what_lives_outside_of_namespaces_is_known_without_asking(group, kind, expected):
    assert Scopes().namespaced(GroupKind(group, kind)) is expected


def test_what_somebody_knows_goes_before_what_is_usual():
    assert Scopes({GroupKind("", "Namespace"): True}).namespaced(GroupKind("", "Namespace"))
