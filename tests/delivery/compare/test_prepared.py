"""Desired objects are what upstream would apply: the same namespace, the same marks, each object once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.delivery.compare import Subject, prepared
from plumbline.delivery.compare.marks import (
    deletion_hook,
    hook,
    nowhere,
    option,
    options,
    phases,
    shortened,
    skipped,
    wave,
)
from plumbline.delivery.compare.preparing import Surroundings
from plumbline.ownership.learn.tracking import Tracking

from .objects import TRACKING_ID

INSTALLATION = "argocd.argoproj.io/installation-id"
LABEL = "app.kubernetes.io/instance"
CLUSTER_KINDS = {"ClusterRole", "Namespace", "CustomResourceDefinition"}
SUBJECT = Subject(name="guestbook", namespace="argocd", instance="guestbook", destination="shop")


def scope(gvk):
    return None if gvk.kind == "Unheard" else gvk.kind not in CLUSTER_KINDS


def obj(kind="ConfigMap", version="v1", name="c", **metadata):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}}


def prepare(*objects, subject=SUBJECT, tracking=None, excluded=lambda kind: False):
    return prepared([objects], subject, Surroundings(tracking or Tracking(), scope, excluded))


def one(*objects, **more):
    (desired,) = prepare(*objects, **more).desired
    return desired


@pytest.mark.parametrize(
    ("given", "namespace", "mark", "why"),
    [
        (obj(), "shop", "guestbook:/ConfigMap:shop/c", "the destination's namespace is filled in"),
        (obj(namespace="x"), "x", "guestbook:/ConfigMap:x/c", "one that is written stays"),
        (obj("ClusterRole", "rbac.authorization.k8s.io/v1"), "", "guestbook:rbac.authorization.k8s.io/ClusterRole:shop/c", "outside of namespaces the mark has one all the same"),
        (obj("Namespace", namespace="x"), "", "guestbook:/Namespace:shop/c", "a namespace that means nothing goes"),
        (obj("Unheard", "x.io/v1"), "shop", "guestbook:x.io/Unheard:shop/c", "unknown kinds count as namespaced"),
        (obj(generateName="job-", name=""), "shop", "guestbook:/ConfigMap:shop/", "names that are made later"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)  # fmt: skip
def test_namespaces_and_marks(given, namespace, mark, why):
    desired = one(given)
    assert desired.object()["metadata"].get("namespace", "") == namespace == desired.ref.namespace
    assert desired.annotations == {TRACKING_ID: mark}


@pytest.mark.parametrize(
    ("tracking", "labels", "annotations", "why"),
    [
        (Tracking("annotation"), {}, {TRACKING_ID: "guestbook:/ConfigMap:shop/c"}, "the default"),
        (Tracking("label"), {LABEL: "guestbook"}, {}, "the old way"),
        (Tracking("label", "my/label"), {"my/label": "guestbook"}, {}, "another label"),
        (
            Tracking("annotation+label"),
            {LABEL: "guestbook"},
            {TRACKING_ID: "guestbook:/ConfigMap:shop/c"},
            "both",
        ),
        (
            Tracking("annotation", installation_id="one"),
            {},
            {INSTALLATION: "one", TRACKING_ID: "guestbook:/ConfigMap:shop/c"},
            "several installations",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_marks_by_method(tracking, labels, annotations, why):
    metadata = one(obj(), tracking=tracking).object()["metadata"]
    assert metadata.get("labels", {}) == labels
    assert metadata.get("annotations", {}) == annotations


def test_marks_of_others_are_replaced():
    strange = obj(annotations={TRACKING_ID: "x", INSTALLATION: "other", "a": "b"})
    assert one(strange).annotations == {"a": "b", TRACKING_ID: "guestbook:/ConfigMap:shop/c"}


def test_definitions_carry_no_mark_unless_they_were_in_a_namespace():
    crd = obj("CustomResourceDefinition", "apiextensions.k8s.io/v1")
    assert one(crd).annotations == {}
    moved = one(obj("CustomResourceDefinition", "apiextensions.k8s.io/v1", namespace="x"))
    assert moved.annotations == {TRACKING_ID: "guestbook:apiextensions.k8s.io/CustomResourceDefinition:shop/c"}


@pytest.mark.parametrize(
    ("label", "expect"),
    [("a" * 63, "a" * 63), ("a" * 70, "a" * 63), ("a" * 60 + "-._" + "b" * 9, "a" * 60), ("short-", "short-")],
)
def test_labels_are_cut_to_what_they_may_hold(label, expect):
    assert shortened(label) == expect
    long = Subject(name=label, namespace="argocd", instance=label, destination="shop")
    assert one(obj(), subject=long, tracking=Tracking("label")).object()["metadata"]["labels"][LABEL] == label


def test_a_label_of_nothing_but_dashes_is_refused():
    with pytest.raises(InvalidInput):
        shortened("-" * 70)


def test_of_an_object_that_appears_twice_the_last_counts():
    first, second = {**obj(), "data": {"a": "1"}}, {**obj(namespace="shop"), "data": {"a": "2"}}
    result = prepared([[first, obj(name="d")], [second]], SUBJECT, Surroundings(Tracking(), scope, lambda kind: False))
    assert [(each.ref.name, each.source) for each in result.desired] == [("c", 1), ("d", 0)]
    assert result.desired[0].object()["data"] == {"a": "2"}
    assert [(each.type, each.message) for each in result.conditions] == [
        ("RepeatedResourceWarning", "Resource /ConfigMap/shop/c appeared 2 times among application resources.")
    ]
    assert not result.failed


def test_generated_names_are_never_the_same():
    job = obj("Job", "batch/v1", name="", generateName="job-")
    result = prepare(job, job)
    assert [each.generate_name for each in result.desired] == ["job-", "job-"]
    assert result.conditions == ()
    hook = obj("Job", "batch/v1", name="")
    assert len(prepare(hook, hook).desired) == 2, "nor are those of hooks without any"


def test_excluded_kinds_are_left_out_and_said_so():
    result = prepare(obj(), obj("Secret", name="s"), excluded=lambda kind: kind.kind == "Secret")
    assert [each.ref.kind for each in result.desired] == ["ConfigMap"]
    assert [(each.type, each.message) for each in result.conditions] == [
        ("ExcludedResourceWarning", "Resource /Secret s is excluded in the settings")
    ]


def test_equal_objects_have_equal_digests():
    assert one(obj()).digest == one(obj()).digest
    assert one(obj()).digest != one(obj(name="d")).digest


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (obj(annotations={"a": 1}), 'failed to get annotations from target object /v1, Kind=ConfigMap shop/c: .metadata.annotations accessor error: contains non-string value in the map under key "a": 1 is of the type int64, expected string'),
        (obj(annotations=["a"]), "failed to get annotations from target object /v1, Kind=ConfigMap shop/c: .metadata.annotations accessor error: [a] is of the type []interface {}, expected map[string]interface{}"),
        ("text", "text is not a Kubernetes object"),
        ({"kind": "X"}, "map[kind:X] is not a Kubernetes object"),
        ({"apiVersion": "v1", "metadata": {}}, "Object 'Kind' is missing"),
        ({"kind": "X", "metadata": {}}, "Object 'apiVersion' is missing"),
    ],
    ids=lambda value: "",
)  # fmt: skip
def test_what_cannot_be_marked_fails_the_application_and_nothing_else(given, message):
    result = prepare(given, obj(name="fine"))
    assert [each.ref.name for each in result.desired] == ["fine"]
    assert result.failed
    text = f"Failed to load target state: failed to set app instance tracking info on manifest: {message}"
    assert [(each.type, each.message) for each in result.conditions] == [("ComparisonError", text)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["metadata", "kind", "apiVersion", "name", "annotations", "namespace", "generateName"]), inner, max_size=4),
)  # fmt: skip


@given(st.lists(JSON, max_size=3))
def test_preparing_ends_whatever_was_rendered(objects):
    result = prepare(*objects)
    assert len(result.desired) <= len(objects)


@pytest.mark.parametrize(
    ("annotations", "expect"),
    [
        ({}, (False, (), False, False)),
        ({"argocd.argoproj.io/hook": "PreSync, Sync"}, (True, ("PreSync", "Sync"), False, False)),
        ({"argocd.argoproj.io/hook": "Skip"}, (False, ("Skip",), True, False)),
        ({"argocd.argoproj.io/hook": "Skip,Sync"}, (True, ("Skip", "Sync"), False, False)),
        ({"argocd.argoproj.io/hook": "garbage"}, (True, (), False, True)),
        ({"argocd.argoproj.io/hook": "PreDelete"}, (True, (), False, True)),
        ({"helm.sh/hook": "pre-install,test"}, (True, ("PreSync",), False, False)),
        ({"helm.sh/hook": "crd-install"}, (False, (), False, False)),
        ({"helm.sh/hook": "post-delete"}, (True, (), False, True)),
        ({"argocd.argoproj.io/hook": "PostSync", "helm.sh/hook": "pre-install"}, (True, ("PostSync",), False, False)),
    ],
)
def test_hooks(annotations, expect):
    assert (hook(annotations), phases(annotations), skipped(annotations), nowhere(annotations)) == expect
    assert deletion_hook(annotations) is any("elete" in text for text in annotations.values())


@pytest.mark.parametrize(
    ("annotations", "expect"),
    [
        ({}, 0),
        ({"argocd.argoproj.io/sync-wave": "-5"}, -5),
        ({"argocd.argoproj.io/sync-wave": "x", "helm.sh/hook-weight": "+3"}, 3),
        ({"helm.sh/hook-weight": "9" * 40}, 0),
        ({"argocd.argoproj.io/sync-wave": "\uff11"}, 0),
    ],
)
def test_waves(annotations, expect):
    assert wave(annotations) == expect


def test_options_of_annotations():
    annotations = {"k": " a , b=1,,b=2 "}
    assert options(annotations, "k") == ("a", "b=1", "b=2")
    assert option(annotations, "k", "b") == "1"
    assert option(annotations, "k", "c") is None
