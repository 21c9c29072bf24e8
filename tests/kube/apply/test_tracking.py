"""Every write that is not an apply is tracked: the writer owns what it changed, nobody owns what is gone."""

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.kube.apply import Writer, apply, decode_managed, track_update
from plumbline.kube.apply.walk import compare, same
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import FREE, Form, Shape, builtin_shape, crd_shape

CONFIG_MAP = builtin_shape(GroupVersionKind("", "v1", "ConfigMap"))
DEPLOYMENT = builtin_shape(GroupVersionKind("apps", "v1", "Deployment"))
WIDGET = crd_shape(
    {
        "spec": {
            "names": {"kind": "Widget"},
            "versions": [
                {
                    "name": "v1",
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}},
                }
            ],
        }
    },
    "v1",
)  # fmt: skip


def writer(name, at="2026-01-01T00:00:00Z", version="v1", subresource=""):
    return Writer(name, version, at, subresource)


def config_map(**data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}


def owned(obj):
    return {m.name: o.fields for m, o in decode_managed(obj["metadata"].get("managedFields", ())).items()}


def test_the_creator_owns_every_field_with_the_ways_to_them():
    assert owned(track_update(None, config_map(a="1"), writer("u"), CONFIG_MAP)) == {
        "u": {"f:data": {".": {}, "f:a": {}}}
    }


def test_structures_that_the_server_embeds_are_nobodys_but_their_contents_are():
    deployment = {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}},
    }  # fmt: skip
    spec = owned(track_update(None, deployment, writer("u", version="apps/v1"), DEPLOYMENT))["u"]["f:spec"]
    assert spec == {
        "f:template": {
            "f:spec": {
                "f:containers": {'k:{"name":"c"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {}}},
            }
        }
    }


def test_a_custom_object_is_a_document_so_its_parents_are_owned_too():
    widget = {"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1}}
    assert owned(track_update(None, widget, writer("u"), WIDGET)) == {"u": {"f:spec": {".": {}, "f:size": {}}}}


def test_a_change_moves_the_field_to_whoever_changed_it():
    live = track_update(None, config_map(a="1", b="1"), writer("u"), CONFIG_MAP)
    live = track_update(live, {**live, "data": {"a": "2", "b": "1"}}, writer("v"), CONFIG_MAP)
    assert owned(live) == {"u": {"f:data": {".": {}, "f:b": {}}}, "v": {"f:data": {"f:a": {}}}}


def test_a_removed_field_is_owned_by_nobody():
    live = track_update(None, config_map(a="1", b="1"), writer("u"), CONFIG_MAP)
    live = track_update(live, {**live, "data": {"b": "1"}}, writer("v"), CONFIG_MAP)
    assert owned(live) == {"u": {"f:data": {".": {}, "f:b": {}}}}


def test_a_write_that_changes_nothing_leaves_entries_and_times_alone():
    live = track_update(None, config_map(a="1"), writer("u"), CONFIG_MAP)
    assert track_update(live, live, writer("v", "2026-02-02T00:00:00Z"), CONFIG_MAP) == live


def test_status_written_through_its_subresource_is_its_own_entry():
    live = track_update(
        None,
        {"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1}},
        writer("u"),
        WIDGET,
    )
    live = track_update(live, {**live, "status": {"ok": True}}, writer("u", subresource="status"), WIDGET)
    assert [entry.get("subresource") for entry in live["metadata"]["managedFields"]] == [None, "status"]


def test_an_object_without_entries_is_not_tracked_after_the_fact():
    live = {**config_map(a="1"), "metadata": {"name": "c", "uid": "u"}}
    assert "managedFields" not in track_update(live, config_map(a="2"), writer("u"), CONFIG_MAP)["metadata"]


@pytest.mark.parametrize("reset", [[], [{}]])
def test_an_empty_entry_resets_the_record(reset):
    live = track_update(None, config_map(a="1"), writer("u"), CONFIG_MAP)
    live["metadata"]["uid"] = "u"
    written = {**live, "metadata": {**live["metadata"], "managedFields": reset}}
    assert "managedFields" not in track_update(live, written, writer("v"), CONFIG_MAP)["metadata"]


def test_entries_that_cannot_be_read_keep_the_recorded_ones():
    live = track_update(None, config_map(a="1"), writer("u"), CONFIG_MAP)
    broken = {**live, "metadata": {**live["metadata"], "managedFields": [{"manager": "x"}]}}
    assert owned(track_update(live, broken, writer("v"), CONFIG_MAP)) == owned(live)


def test_a_subresource_cannot_rewrite_the_record():
    live = track_update(None, config_map(a="1"), writer("u"), CONFIG_MAP)
    wiped = {**live, "metadata": {**live["metadata"], "managedFields": []}}
    assert owned(track_update(live, wiped, writer("v", subresource="status"), CONFIG_MAP)) == owned(live)


def test_the_eleventh_updater_folds_the_oldest_into_ancient_changes():
    live = track_update(None, config_map(first="x"), writer("u0"), CONFIG_MAP)
    for turn in range(12):
        data = {**(live.get("data") or {}), f"k{turn}": "x"}
        live = track_update(
            live, {**live, "data": data}, writer(f"u{turn}", f"2026-01-01T00:00:{turn:02}Z"), CONFIG_MAP
        )
    names = [entry["manager"] for entry in live["metadata"]["managedFields"]]
    assert len(names) == 10
    assert names[0] == "ancient-changes"
    assert {"f:k0", "f:k1", "f:k2"} <= set(owned(live)["ancient-changes"]["f:data"])


@pytest.mark.parametrize(
    "entry",
    [
        {"operation": "Patch", "apiVersion": "v1", "fieldsType": "FieldsV1"},
        {"operation": "Apply", "fieldsType": "FieldsV1"},
        {"operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV2"},
    ],
)
def test_an_unreadable_entry_says_what_is_wrong(entry):
    with pytest.raises(InvalidInput) as refused:
        decode_managed([entry])
    assert refused.value.why


@pytest.mark.parametrize(
    ("old", "new", "added", "modified", "removed", "why"),
    [
        ({"a": 1}, {"a": {"b": 1}}, {"f:a": {"f:b": {}}}, {"f:a": {}}, {}, "a scalar became a map"),
        ({"a": {"b": 1}}, {"a": 1}, {}, {"f:a": {}}, {"f:a": {"f:b": {}}}, "a map became a scalar"),
        ({"a": None}, {"a": {"b": 1}}, {"f:a": {"f:b": {}}}, {}, {}, "null takes the form of what comes"),
        ({"a": {"b": 1}}, {"a": None}, {}, {}, {"f:a": {"f:b": {}}}, "null takes the form of what goes"),
        ({"a": None}, {"a": {}}, {}, {"f:a": {}}, {}, "null and empty are told apart"),
        ({"a": [1]}, {"a": [1, 2]}, {}, {"f:a": {}}, {}, "lists of free form are one thing"),
        ({"a": 1}, {"a": True}, {}, {"f:a": {}}, {}, "true is not 1"),
        ({"a": {"b": [1]}}, {"a": {"b": [True]}}, {}, {"f:a": {"f:b": {}}}, {}, "not inside lists either"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_comparing_values_that_change_their_form(old, new, added, modified, removed, why):
    assert compare(old, new, FREE) == (added, modified, removed)


TABLE = Shape(Form.RECORD, resolve_fields=lambda: {"list": Shape(Form.TABLE, keys=("name",))})


@pytest.mark.parametrize(
    ("old", "new", "result", "why"),
    [
        ("a", "aa", ({"n": {}}, {}, {"n": {".": {}, "f:name": {}, "f:v": {}}}), "a unique key became ambiguous"),
        ("aa", "a", ({"n": {".": {}, "f:name": {}, "f:v": {}}}, {}, {"n": {}}), "an ambiguous key became unique"),
        ("aa", "aab", ({"n": {".": {}, "f:name": {}, "f:v": {}}}, {}, {}), "ambiguous and unchanged"),
        ("aa", "aaa", ({}, {"n": {}}, {}), "ambiguous and changed"),
        ("aa", "", ({}, {}, {"n": {}}), "ambiguous and gone"),
        ("", "aa", ({"n": {}}, {}, {}), "ambiguous from the start"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_keys_that_occur_twice_count_as_one_leaf(old, new, result, why):
    def items(names):
        return {"list": [{"name": name, "v": 1} for name in names] + [{"name": "z"}]}

    found = compare(items(old), items(new), TABLE)
    nodes = [[node for key, node in (part.get("f:list") or {}).items() if '"z"' not in key] for part in found]
    got = tuple({"n": node[0]} if node else {} for node in nodes)
    assert got == result


def test_equality_is_that_of_json():
    assert same({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]})
    assert not same({"a": [1]}, {"a": [True]})
    assert same(1, 1.0)
    assert not same(1, True)


def test_an_updater_in_another_version_is_another_manager():
    live = track_update(None, config_map(a="1"), writer("u"), CONFIG_MAP)
    live = track_update(live, {**live, "data": {"a": "2"}}, writer("u", version="v2"), CONFIG_MAP)
    assert [entry["apiVersion"] for entry in live["metadata"]["managedFields"]] == ["v1", "v2"]


def test_an_applier_in_another_version_is_the_same_manager():
    live = apply(None, config_map(a="1"), writer("m"), CONFIG_MAP)
    newer = {**config_map(a="1"), "apiVersion": "v2"}
    assert [e["apiVersion"] for e in apply(live, newer, writer("m", version="v2"), CONFIG_MAP)["metadata"]["managedFields"]] == ["v2"]  # fmt: skip


def test_a_write_that_changes_only_recorded_times_changes_nothing():
    live = track_update(None, config_map(a="1"), writer("u"), CONFIG_MAP)
    retimed = [{**entry, "time": "2020-01-01T00:00:00Z"} for entry in live["metadata"]["managedFields"]]
    written = {**live, "metadata": {**live["metadata"], "managedFields": retimed}}
    assert track_update(live, written, writer("v"), CONFIG_MAP) == live
