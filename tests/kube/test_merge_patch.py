import pytest
from hypothesis import given

from plumbline.base.errors import BadPatch
from plumbline.base.json import encode
from plumbline.kube.equality import identical
from plumbline.kube.patch import create_merge_patch, merge_patch

from .strategies import filled_objects, objects, values

CASES = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}, "a scalar is replaced"),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}, "a field is added"),
    ({"a": "b"}, {"a": None}, {}, "null deletes"),
    ({"a": "b", "b": "c"}, {"a": None, "q": None}, {"b": "c"}, "deleting what is not there is fine"),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}, "a list gives way to a scalar"),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}, "a scalar gives way to a list"),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}, "objects merge"),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}, "lists do not"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}, "a null that was there stays"),
    ({"e": None}, {"e": {"a": None, "b": 1}}, {"e": {"b": 1}}, "what replaces a null loses its own"),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}, "added objects lose their nulls"),
    ({}, {"a": [{"b": None, "c": None, "d": 1}, None]}, {"a": [{"d": 1}, None]}, "also those within added lists"),
    ({"a": {"b": 1}}, {"a": [{"b": None}]}, {"a": [{"b": None}]}, "but not in a list that replaces an object"),
    ([1], {"a": None, "b": 1}, {"b": 1}, "an object takes the place of any document"),
    ({"a": 1}, [{"b": None}], [{}], "and so does a list"),
]


@pytest.mark.parametrize(("target", "patch", "expected", "why"), CASES, ids=[case[-1] for case in CASES])
def test_fields_of_the_patch_win(target, patch, expected, why):
    assert identical(merge_patch(target, patch), expected), why


@pytest.mark.parametrize("patch", [None, 1, "x", True])
def test_a_scalar_is_no_patch(patch):
    with pytest.raises(BadPatch):
        merge_patch({}, patch)


def test_what_is_not_touched_is_shared():
    target = {"spec": {"big": [1, 2, 3]}, "metadata": {"labels": {"a": "b"}}}
    patched = merge_patch(target, {"metadata": {"labels": {"c": "d"}}})
    assert patched["spec"] is target["spec"]
    assert list(patched) == ["spec", "metadata"]


@given(filled_objects, filled_objects)
def test_a_created_patch_makes_the_modified_object(original, modified):
    assert identical(merge_patch(original, create_merge_patch(original, modified)), modified)


@given(objects)
def test_nothing_changed_is_an_empty_patch(original):
    assert create_merge_patch(original, original) == {}


@given(filled_objects, filled_objects)
def test_a_created_patch_is_empty_only_for_equal_objects(original, modified):
    assert (create_merge_patch(original, modified) == {}) == identical(original, modified)


@given(objects, filled_objects)
def test_patching_twice_is_patching_once(target, patch):
    once = merge_patch(target, patch)
    assert identical(merge_patch(once, patch), once)


@given(values, objects)
def test_inputs_stay_as_they_are(target, patch):
    before = encode([target, patch])
    merge_patch(target, patch)
    assert encode([target, patch]) == before


def test_true_and_one_differ():
    assert create_merge_patch({"a": 1, "b": [1]}, {"a": True, "b": [1.0]}) == {"a": True, "b": [1.0]}
