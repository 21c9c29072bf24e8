import pytest
from hypothesis import given

from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode
from plumbline.kube.object import Condition, Object, OwnerReference

from .strategies import objects, values

RAW = {
    "kind": "Deployment",
    "apiVersion": "apps/v1",
    "unknown": {"kept": [1, 2]},
    "metadata": {
        "name": "web",
        "namespace": "shop",
        "generateName": "web-",
        "uid": "u-1",
        "resourceVersion": "17",
        "generation": 3,
        "creationTimestamp": "2026-01-02T03:04:05Z",
        "deletionTimestamp": "2026-01-02T03:04:06Z",
        "labels": {"app": "web"},
        "annotations": {"note": "x"},
        "finalizers": ["a", "b"],
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u-2"},
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u-3", "controller": True},
        ],
        "managedFields": [{"manager": "kubectl"}],
    },
    "spec": {"replicas": 1},
    "status": {"conditions": [{"type": "Available", "status": "True", "reason": "Fine", "observedGeneration": 3}]},
}


def test_everything_is_read():
    web = Object(RAW)
    assert (web.api_version, web.kind, web.gvk) == ("apps/v1", "Deployment", ("apps", "v1", "Deployment"))
    assert (web.name, web.namespace, web.generate_name, web.uid) == ("web", "shop", "web-", "u-1")
    assert (web.resource_version, web.generation) == ("17", 3)
    assert (web.creation_timestamp, web.deletion_timestamp) == ("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z")
    assert (web.labels, web.annotations, web.finalizers) == ({"app": "web"}, {"note": "x"}, ("a", "b"))
    assert web.owner_references[0] == OwnerReference("v1", "Pod", "p", "u-2", False, False)
    assert web.controller == OwnerReference("apps/v1", "ReplicaSet", "r", "u-3", True, False)
    assert web.managed_fields == ({"manager": "kubectl"},)
    assert web.spec == {"replicas": 1}
    assert web.condition("Available") == Condition("Available", "True", "Fine", "", "", 3)
    assert web.condition("Gone") is None
    assert web.group_kind == ("apps", "Deployment")
    assert repr(web) == "<Deployment.apps/shop/web>"


def test_reading_copies_nothing():
    web = Object(RAW)
    assert web.raw is RAW
    assert web.labels is RAW["metadata"]["labels"]


def read_all(obj):
    return [getattr(obj, name) for name in dir(Object) if isinstance(getattr(Object, name), property)]


@given(objects, values, values)
def test_any_garbage_can_be_read(raw, metadata, status):
    read_all(Object(raw))
    read_all(Object({**raw, "apiVersion": metadata, "kind": status, "metadata": metadata, "status": status}))
    garbage = dict.fromkeys(RAW["metadata"], metadata)
    read_all(Object({"metadata": garbage, "status": {"conditions": status}}))


def test_garbage_reads_as_absent():
    odd = Object(
        {"kind": 1, "metadata": {"name": 5, "labels": {"a": 1, "b": "x"}, "finalizers": [1, "f"], "generation": True}}
    )
    assert (odd.kind, odd.name, odd.labels, odd.finalizers, odd.generation) == ("", "", {"b": "x"}, ("f",), 0)
    assert Object({"metadata": "x", "status": 3}).ref == ("", "", "", "")


CHANGES = [
    (lambda web: web.with_label("tier", "front"), "labels", {"app": "web", "tier": "front"}),
    (lambda web: web.without_label("app"), "labels", None),
    (lambda web: web.with_annotation("note", "y"), "annotations", {"note": "y"}),
    (lambda web: web.without_annotation("note"), "annotations", None),
    (lambda web: web.with_finalizer("c"), "finalizers", ["a", "b", "c"]),
    (lambda web: web.without_finalizer("a"), "finalizers", ["b"]),
    (lambda web: web.with_namespace("other"), "namespace", "other"),
    (lambda web: web.with_namespace(""), "namespace", None),
    (lambda web: web.without_managed_fields(), "managedFields", None),
]


@pytest.mark.parametrize(("change", "field", "expected"), CHANGES)
def test_changes_give_a_new_object_that_shares_the_rest(change, field, expected):
    before = encode(RAW)
    changed = change(Object(RAW))
    assert changed.metadata.get(field) == expected
    assert changed.raw["spec"] is RAW["spec"]
    assert changed.metadata["ownerReferences"] is RAW["metadata"]["ownerReferences"]
    assert list(changed.raw) == list(RAW)
    assert encode(RAW) == before


SAME = [
    lambda web: web.with_label("app", "web"),
    lambda web: web.without_label("gone"),
    lambda web: web.with_annotation("note", "x"),
    lambda web: web.without_annotation("gone"),
    lambda web: web.with_finalizer("a"),
    lambda web: web.without_finalizer("gone"),
    lambda web: web.with_namespace("shop"),
]


@pytest.mark.parametrize("change", SAME)
def test_no_change_gives_the_same_object(change):
    web = Object(RAW)
    assert change(web) is web


def test_a_status_is_set():
    assert Object(RAW).with_status({"phase": "x"}).status == {"phase": "x"}
    assert Object({}).with_label("a", "b").raw == {"metadata": {"labels": {"a": "b"}}}
    bare = Object({})
    assert bare.without_managed_fields() is bare


@pytest.mark.parametrize(
    ("raw", "change"),
    [
        ({"metadata": "x"}, lambda obj: obj.with_label("a", "b")),
        ({"metadata": {"labels": []}}, lambda obj: obj.with_label("a", "b")),
        ({"metadata": {"annotations": 1}}, lambda obj: obj.without_annotation("a")),
        ({"metadata": {"finalizers": {}}}, lambda obj: obj.with_finalizer("a")),
        ({"metadata": []}, lambda obj: obj.with_namespace("a")),
    ],
)
def test_garbage_is_not_written_over(raw, change):
    with pytest.raises(InvalidInput):
        change(Object(raw))


def test_objects_are_equal_by_content():
    assert Object({"a": 1}) == Object({"a": 1})
    assert Object({"a": 1}) != Object({"a": 2})
