"""Objects that were applied on the client's side become ours, and can go back."""

import pytest

from plumbline.base.json import decode
from plumbline.delivery.compare import Rules, difference, last_applied, migration, with_last_applied
from plumbline.kube.apply import Writer, track_update
from plumbline.kube.patch.json_patch import json_patch

from .objects import LAST_APPLIED, US, applied, config_map, shape_of


def created(by, **entries):
    """As `kubectl apply` leaves it, or Argo CD where it does not apply on the server's side."""
    obj = with_last_applied(config_map(**entries), config_map(**entries))
    made = track_update(None, obj, Writer(by, "v1", "2026-01-01T00:00:00Z"), shape_of(obj))
    return {**made, "metadata": {**made["metadata"], "resourceVersion": "7"}}


def patched(live):
    return json_patch(live, migration(live))


@pytest.mark.parametrize("by", ["kubectl-client-side-apply", US])
def test_a_field_that_git_drops_really_goes_away(by):
    live = created(by, a="1", b="2")
    wanted = config_map(a="1")
    assert [each.path for each in difference(wanted, live, shape_of(live), Rules())] == [".data.b"]
    assert "b" in applied(wanted, live=live)["data"], "without moving over it would stay"
    after = applied(with_last_applied(wanted, wanted), live=patched(live))
    assert after["data"] == {"a": "1"}
    assert {(each["manager"], each["operation"]) for each in after["metadata"]["managedFields"]} == {(US, "Apply")}
    assert difference(wanted, after, shape_of(live), Rules()) == ()


def entry(manager, operation="Update", version="v1", fields=None, **more):
    return {"manager": manager, "operation": operation, "apiVersion": version, "fieldsType": "FieldsV1", "fieldsV1": fields or {"f:data": {"f:a": {}}}, **more}  # fmt: skip


CLIENT = "kubectl-client-side-apply"


@pytest.mark.parametrize(
    ("entries", "expect", "why"),
    [
        ([entry(CLIENT)], [entry(US, "Apply")], "the first becomes ours"),
        (
            [entry(US, "Apply", fields={"f:data": {"f:b": {}}}), entry(CLIENT)],
            [entry(US, "Apply", fields={"f:data": {"f:b": {}, "f:a": {}}})],
            "what is ours grows",
        ),
        (
            [entry(CLIENT), entry(CLIENT, version="v1beta1"), entry("x")],
            [entry(US, "Apply"), entry("x")],
            "another version is given up",
        ),
        (
            [entry(US, "Apply", "v2"), entry(CLIENT)],
            [entry(US, "Apply", "v2")],
            "fields of another version are not understood",
        ),
        ([entry(CLIENT, subresource="scale"), entry(CLIENT)], [entry(CLIENT, subresource="scale"), entry(US, "Apply")], "subresources stay"),
        (
            [entry(CLIENT), entry(US, fields={"f:data": {"f:z": {}}})],
            [entry(US, "Apply", fields={"f:data": {"f:a": {}, "f:z": {}}})],
            "both names",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_entries_move(entries, expect, why):
    live = {"metadata": {"managedFields": entries, "resourceVersion": "7"}}
    fields, version = migration(live)
    assert fields == {"op": "replace", "path": "/metadata/managedFields", "value": expect}
    assert version == {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"}


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        None,
        "x",
        {"managedFields": "x"},
        {"managedFields": ["x"]},
        {"managedFields": [entry(CLIENT, fields={"f:a": 3})]},
        {"managedFields": [entry(US, "Apply"), entry("x")]},
        {"managedFields": [entry(CLIENT, subresource="status")]},
    ],
)
def test_nothing_to_move(metadata):
    assert migration({"metadata": metadata}) is None


def test_another_manager_may_be_named():
    live = {"metadata": {"managedFields": [entry("tool"), entry(CLIENT)]}}
    assert migration(live, ["tool"])[0]["value"] == [entry(US, "Apply"), entry(CLIENT)]


def test_last_applied_is_what_kubectl_writes():
    obj = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "c", "annotations": {LAST_APPLIED: "old", "b": "<&>"}}, "data": {"z": "\u2028", "a": "é"}}  # fmt: skip
    text = '{"apiVersion":"v1","data":{"a":"é","z":"\\u2028"},"kind":"ConfigMap","metadata":{"annotations":{"b":"\\u003c\\u0026\\u003e"},"name":"c"}}\n'
    assert last_applied(obj) == text
    assert decode(text)["data"] == obj["data"]
    assert '"annotations":{}' in last_applied({"metadata": {"name": "x"}})


def test_what_is_too_long_is_not_written():
    large = config_map(a="x" * 300_000)
    assert last_applied(large) == ""
    assert with_last_applied(large, large) is large


@pytest.mark.parametrize("metadata", [None, "x", 3, []])
def test_hostile_metadata_is_left_alone(metadata):
    obj = {"metadata": metadata}
    assert with_last_applied(obj, obj) is obj


def test_the_annotation_says_all_that_git_says_even_of_what_is_left_out():
    wanted = with_last_applied(config_map(a="1", b="2"), config_map(a="1"))
    assert wanted["data"] == {"a": "1"}
    assert decode(wanted["metadata"]["annotations"][LAST_APPLIED])["data"] == {"a": "1", "b": "2"}
