"""A change of a type waits until no object holds a value of the old one."""

import pytest

from plumbline.composition.definitions.compatibility import TypeChange, broken, explained, stored_apart, type_changes
from plumbline.composition.definitions.crds import crds

from .samples import TEXT, sample_schema, sample_version, xrd
from .stage import CRDS, XRDS, XRS, conditions, story

NAME = "xdatabases.example.org"
NUMBER = {"type": "integer"}


def crd(**spec):
    return crds(xrd(schema=sample_schema(**spec)))[0]


CHANGES = [
    (TEXT, TEXT, [], "nothing changed"),
    (TEXT, NUMBER, ["spec.x (string to integer)"], "another type"),
    (TEXT, {"type": "string", "maxLength": 3}, [], "the same type with another bound"),
    ({"x-kubernetes-int-or-string": True}, NUMBER, ["spec.x (integer or string to integer)"], "one of two"),
    (
        {"type": "array", "items": TEXT},
        {"type": "array", "items": NUMBER},
        ["spec.x[] (string to integer)"],
        "items of a list",
    ),
    (
        {"type": "object", "additionalProperties": TEXT},
        {"type": "object", "additionalProperties": NUMBER},
        ["spec.x{} (string to integer)"],
        "values of a map",
    ),
    (
        {"type": "object", "properties": {"a": TEXT, "gone": TEXT}},
        {"type": "object", "properties": {"a": NUMBER, "new": TEXT}},
        ["spec.x.a (string to integer)"],
        "a field below",
    ),
    ({}, TEXT, [], "a type where there was none"),
]


@pytest.mark.parametrize(("before", "after", "found", "why"), CHANGES, ids=[each[3] for each in CHANGES])
def test_changes_of_types_are_found(before, after, found, why):
    assert [str(each) for each in type_changes(crd(x=before), crd(x=after))] == found


HELD = [
    ("integer", "a", True),
    ("integer", 1, False),
    ("integer", True, True),
    ("boolean", True, False),
    ("number", 1, False),
    ("string", 1, True),
    ("object", [], True),
    ("array", [], False),
    ("integer or string", "a", False),
    ("unheard", 1, False),
]


@pytest.mark.parametrize(("type_", "value", "breaks"), HELD)
def test_only_values_that_do_not_fit_are_broken(type_, value, breaks):
    obj = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "a"}, "spec": {"x": value}}
    assert bool(broken([obj], (TypeChange(("spec", "x"), "old", type_),))) == breaks


def test_values_are_found_in_lists_and_maps():
    obj = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "a"}, "spec": {"x": [{"y": {"k": "v"}}]}}
    change = TypeChange(("spec", "x", "[]", "y", "{}"), "string", "integer")
    assert [each.ref.name for each in broken([obj], (change,))] == ["a"]
    assert broken([{**obj, "spec": {"x": 1}}, {**obj, "spec": {"x": [{"y": 1}]}}, {**obj, "spec": {}}], (change,)) == ()


def test_many_broken_objects_are_counted_and_some_are_named():
    objects = [
        {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": f"n{at}"}, "spec": {"x": "a"}}
        for at in range(7)
    ]
    said = explained(broken(objects, (TypeChange(("spec", "x"), "string", "integer"),)))
    assert "7 objects" in said
    assert "and more" in said


def test_a_crd_without_a_stored_version_has_no_changes():
    assert type_changes({"spec": {"versions": []}}, crd(x=TEXT)) == ()


def test_versions_in_which_objects_are_stored_must_stay():
    live = {"spec": {"versions": []}, "status": {"storedVersions": ["v1alpha1", "v1"]}}
    assert stored_apart(live, crd(x=TEXT)) == ("v1alpha1",)


async def established(place):
    made = xrd(claim=None)
    del made["metadata"]["uid"]
    await place.create(XRDS, made)
    await place.condition(XRDS, NAME, "Established", "True")


def composite(name, **spec):
    return {"apiVersion": "example.org/v1", "kind": "XDatabase", "metadata": {"name": name}, "spec": spec}


@story()
async def test_a_type_change_is_refused_while_it_would_break_something(place):
    await established(place)
    await place.create(XRS, composite("orders", size="small"))
    await place.create(XRS, composite("bills"))
    await place.patch(XRDS, NAME, {"spec": {"versions": [sample_version(schema=sample_schema(size=NUMBER))]}})
    stuck = await place.condition(XRDS, NAME, "Synced", "False", "IncompatibleChange")
    said = conditions(stuck)["Synced"]["message"]
    assert "1 object invalid: XDatabase.example.org/orders" in said
    assert "spec.size (string to integer)" in said
    assert conditions(stuck)["Established"]["status"] == "True"
    crd = await place.get(CRDS, NAME)
    assert crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"] == TEXT
    await place.patch(XRS, "orders", {"spec": {"size": None}})
    await place.condition(XRDS, NAME, "Synced", "True")


@story()
async def test_a_version_in_which_objects_are_stored_cannot_be_dropped(place):
    await established(place)
    await place.patch(XRDS, NAME, {"spec": {"versions": [sample_version("v2")]}})
    stuck = await place.condition(XRDS, NAME, "Synced", "False", "IncompatibleChange")
    assert "served: false" in conditions(stuck)["Synced"]["message"]
