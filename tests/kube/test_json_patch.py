import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadPatch, InapplicablePatch, LimitExceeded
from plumbline.base.json import encode
from plumbline.kube.equality import identical
from plumbline.kube.patch import json_patch

from .strategies import objects, values


def op(name, path, value="none given", **more):
    return {"op": name, "path": path, **({} if value == "none given" else {"value": value}), **more}


CASES = [
    ({"a": 1}, [op("add", "/b", 2)], {"a": 1, "b": 2}, "a field is added"),
    ({"a": 1}, [op("add", "/a", 2)], {"a": 2}, "or set"),
    ({"a": [1, 3]}, [op("add", "/a/1", 2)], {"a": [1, 2, 3]}, "an item is put before the one at its index"),
    ({"a": [1]}, [op("add", "/a/-", 2)], {"a": [1, 2]}, "a dash is the end"),
    ({"a": [1]}, [op("add", "/a/1", 2)], {"a": [1, 2]}, "and so is the length"),
    ({"a": [1, 2]}, [op("add", "/a/-1", 3)], {"a": [1, 2, 3]}, "and, counted from there, minus one"),
    ({"a": [1, 2]}, [op("add", "/a/+1", 3)], {"a": [1, 3, 2]}, "numbers are read as Go reads them"),
    ({"a": 1}, [op("add", "/b")], {"a": 1, "b": None}, "no value is null"),
    ({"a": 1}, [op("add", "", {})], InapplicablePatch, "the root cannot be added"),
    ({"a": 1}, [op("add", "/b/c", 1)], InapplicablePatch, "nor a field of nothing"),
    ({"a": None}, [op("add", "/a/c", 1)], InapplicablePatch, "nor a field of null"),
    ({"a": [1]}, [op("add", "/a/2", 1)], InapplicablePatch, "nor an item beyond the end"),
    ({"a": [1]}, [op("add", "/a/-3", 1)], InapplicablePatch, "nor before the start"),
    ({"a": [1]}, [op("add", "/a/x", 1)], InapplicablePatch, "nor at no number"),
    ({"a": [1]}, [op("add", "/a/1_0", 1)], InapplicablePatch, "nor at what only Python calls one"),
    ({"a": [[]]}, [op("add", "/a/x/0", 1)], InapplicablePatch, "nor below no number"),
    ({"a": [1]}, [op("add", "/a/" + "9" * 30, 1)], InapplicablePatch, "nor at one too large"),
    ({"a": 1, "b": 2}, [op("remove", "/a")], {"b": 2}, "a field is removed"),
    ({"a": [1, 2]}, [op("remove", "/a/0")], {"a": [2]}, "an item is removed"),
    ({"a": [1, 2]}, [op("remove", "/a/-1")], {"a": [1]}, "counted from the end, too"),
    ({"a": 1}, [op("remove", "/b")], InapplicablePatch, "what is not there cannot be removed"),
    ({"a": 1}, [op("remove", "/b/c")], InapplicablePatch, "nor what is in what is not there"),
    ({"a": [1]}, [op("remove", "/a/1")], InapplicablePatch, "nor an item beyond the end"),
    ({"a": 1}, [op("replace", "/a", 2)], {"a": 2}, "a field is replaced"),
    ({"a": 1}, [op("replace", "/b", 2)], {"a": 1, "b": 2}, "even one that is not there"),
    ({"a": [1]}, [op("replace", "/a/0", 2)], {"a": [2]}, "an item is replaced"),
    ({"a": [1]}, [op("replace", "/a/1", 2)], InapplicablePatch, "but not one that is not there"),
    ({"a": 1}, [op("replace", "/b/c", 2)], InapplicablePatch, "nor in what is not there"),
    ({"a": 1}, [op("replace", "", {"b": 2})], {"b": 2}, "the root is replaced"),
    ({"a": 1}, [op("replace", "", 5)], InapplicablePatch, "but not by a scalar"),
    ({"a": 1}, [op("move", "/b", **{"from": "/a"})], {"b": 1}, "a field moves"),
    ({"a": [1, 2, 3]}, [op("move", "/a/0", **{"from": "/a/2"})], {"a": [3, 1, 2]}, "an item moves"),
    ({"a": {"b": 1}}, [op("move", "/a/b/c", **{"from": "/a"})], InapplicablePatch, "nothing moves into itself"),
    ({"a": 1}, [op("move", "/a/b", **{"from": "/c"})], InapplicablePatch, "nothing does not move"),
    ({"a": 1}, [op("move", "/b", **{"from": "/c/d"})], InapplicablePatch, "nor from nowhere"),
    ({"a": 1}, [op("move", "/b/c", **{"from": "/a"})], InapplicablePatch, "nor to nowhere"),
    ({"a": [1]}, [op("move", "/a/9", **{"from": "/a/0"})], InapplicablePatch, "nor beyond the end"),
    ({"a": {"b": 1}}, [op("copy", "/c", **{"from": "/a"})], {"a": {"b": 1}, "c": {"b": 1}}, "a field is copied"),
    ({"a": 1}, [op("copy", "/c", **{"from": "/b"})], {"a": 1, "c": None}, "nothing is copied as null"),
    ({"a": [1]}, [op("copy", "/c", **{"from": "/a/1"})], InapplicablePatch, "but an index must be there"),
    ({"a": 1}, [op("copy", "/c", **{"from": "/b/c"})], InapplicablePatch, "and so must the way to it"),
    ({"a": 1}, [op("copy", "/b/c", **{"from": "/a"})], InapplicablePatch, "and the way to its end"),
    ({"a": [1]}, [op("copy", "/a/9", **{"from": "/a/0"})], InapplicablePatch, "which must have the index"),
    ({"a": {"b": [1]}}, [op("test", "/a", {"b": [1]})], {"a": {"b": [1]}}, "a test changes nothing"),
    ({"a": 1}, [op("test", "", {"a": 1})], {"a": 1}, "the root can be tested"),
    ({"a": 1}, [op("test", "/b", None)], {"a": 1}, "null is like nothing"),
    ({"a": 1}, [op("test", "/a", True)], InapplicablePatch, "true is not one"),
    ({"a": 1}, [op("test", "/a", 1.0)], InapplicablePatch, "nor is a number with a point one without"),
    ({"a": 1}, [op("test", "/b/c", None)], InapplicablePatch, "no way is not null"),
    ({"a": [1]}, [op("test", "/a/1", None)], InapplicablePatch, "nor is no item"),
    ({"a/b": 1, "m~n": 2}, [op("remove", "/a~1b"), op("test", "/m~0n", 2)], {"m~n": 2}, "slash and tilde are escaped"),
    ({"~1": 1}, [op("replace", "/~01", 2)], {"~1": 2}, "each once"),
    ({"": 1}, [op("replace", "/", 2)], {"": 2}, "a name may be empty"),
    ({"a": 1}, [op("replace", "b/a", 2)], {"a": 2}, "what stands before the first slash is ignored"),
    ([1, 2], [op("remove", "/0")], [2], "a document may be a list"),
    ({"a": 1}, [op("add", "/b", 1), op("bogus", "/a")], InapplicablePatch, "an unknown operation fails"),
    ({"a": 1}, [{"path": "/a"}], InapplicablePatch, "and so does none"),
    ({"a": 1}, [{"op": "add"}], InapplicablePatch, "and one without a path"),
    ({"a": 1}, [{"op": "replace"}], InapplicablePatch, "whichever"),
    ({"a": 1}, [op("move", "/a")], InapplicablePatch, "or without a from"),
]


@pytest.mark.parametrize(("target", "operations", "expected", "why"), CASES, ids=[case[-1] for case in CASES])
def test_operations_are_upstreams(target, operations, expected, why):
    before = encode([target, operations])
    if expected is InapplicablePatch:
        with pytest.raises(InapplicablePatch):
            json_patch(target, operations)
    else:
        assert identical(json_patch(target, operations), expected), why
    assert encode([target, operations]) == before


MESSAGES = [
    ([op("add", "/x/y", 1)], 'add operation does not apply: doc is missing path: "/x/y": missing value'),
    (
        [op("add", "/a/x", 1)],
        "error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
    ),
    (
        [op("remove", "/a/7")],
        "error in remove for path: '/a/7': Unable to access invalid index: 7: invalid index referenced",
    ),
    ([op("remove", "/b")], "error in remove for path: '/b': Unable to remove nonexistent key: b: missing value"),
    ([op("replace", "/a/7", 1)], "replace operation does not apply: doc is missing key: /a/7: missing value"),
    ([op("test", "/a", 1)], "testing value /a failed: test failed"),
    ([op("bogus", "/a")], "Unexpected kind: bogus"),
    (
        [{"op": "move", "path": "/a"}],
        "move operation failed to decode from: operation, missing from field: missing value",
    ),
]


@pytest.mark.parametrize(("operations", "message"), MESSAGES)
def test_reasons_are_worded_as_people_know_them(operations, message):
    with pytest.raises(InapplicablePatch) as refused:
        json_patch({"a": []}, operations)
    assert str(refused.value) == message


@pytest.mark.parametrize("operations", [None, {}, "x", [1], [None]])
def test_a_patch_is_a_list_of_objects(operations):
    with pytest.raises(BadPatch):
        json_patch({}, operations)


def test_a_scalar_cannot_be_patched():
    with pytest.raises(BadPatch):
        json_patch(1, [])


def test_too_many_operations_are_refused():
    assert json_patch({}, [op("add", "/a", 1)] * 10_000) == {"a": 1}
    with pytest.raises(LimitExceeded):
        json_patch({}, [op("add", "/a", 1)] * 10_001)


def test_copying_cannot_grow_an_object_without_end():
    doubling = [op("copy", "/a/-", **{"from": "/a"})] * 40
    with pytest.raises(LimitExceeded):
        json_patch({"a": ["x" * 1000]}, doubling)


def test_copies_do_not_change_together():
    operations = [
        op("add", "/a/b", 1),
        op("copy", "/c", **{"from": "/a"}),
        op("add", "/a/b", 2),
        op("add", "/c/d", 3),
        op("copy", "/c/e", **{"from": "/c"}),
        op("add", "/c/e/d", 4),
    ]
    assert json_patch({"a": {}}, operations) == {"a": {"b": 2}, "c": {"b": 1, "d": 3, "e": {"b": 1, "d": 4}}}


def test_what_is_not_touched_is_shared():
    target = {"a": {"b": [1]}, "c": {"d": 1}}
    patched = json_patch(target, [op("add", "/c/e", 1)])
    assert patched["a"] is target["a"]
    assert json_patch(target, []) is target


def pointers(value, prefix=""):
    """Every place in *value* as a JSON pointer, with what is there."""
    if isinstance(value, dict):
        below = [(key.replace("~", "~0").replace("/", "~1"), child) for key, child in value.items()]
    else:
        below = list(enumerate(value)) if isinstance(value, list) else []
    for key, child in below:
        yield f"{prefix}/{key}", child
        yield from pointers(child, f"{prefix}/{key}")


@given(objects)
def test_every_place_can_be_tested_and_taken_out_and_put_back(target):
    for pointer, value in pointers(target):
        steps = [op("test", pointer, value), op("remove", pointer), op("add", pointer, value)]
        assert identical(json_patch(target, steps), target)


@given(objects, objects)
def test_operations_for_each_field_make_the_other_object(target, wanted):
    def escaped(key):
        return "/" + key.replace("~", "~0").replace("/", "~1")

    steps = [op("remove", escaped(key)) for key in target] + [op("add", escaped(key), wanted[key]) for key in wanted]
    assert identical(json_patch(target, steps), wanted)


PATHS = st.sampled_from(["", "/a", "/b", "/a/b", "/a/0", "/a/-", "/b/-1", "/x.y", "/s~1t/0", "/c/a/b"])


@given(
    objects,
    st.lists(
        st.fixed_dictionaries(
            {
                "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
                "path": PATHS,
                "from": PATHS,
                "value": values,
            }
        ),
        max_size=6,
    ),
)
def test_any_patch_gives_an_object_or_a_reason_and_leaves_its_input(target, operations):
    before = encode([target, operations])
    with contextlib.suppress(InapplicablePatch):
        json_patch(target, operations)
    assert encode([target, operations]) == before
