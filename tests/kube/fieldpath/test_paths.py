import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadFieldPath, BadPatch, FieldNotFound
from plumbline.base.json import decode, encode, encode_sorted
from plumbline.kube.fieldpath import (
    Draft,
    MergeOptions,
    Path,
    expanded,
    merged,
    parsed,
    text_of,
    value_at,
    with_value,
    without,
)

names = st.text(st.sampled_from("abcXYZ-_/.0"), min_size=1, max_size=6)
segments = st.lists(st.one_of(names, st.integers(0, 5)), min_size=1, max_size=5).map(
    lambda given: ("root" if isinstance(given[0], int) else given[0], *given[1:])
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.sampled_from(["", "a", "b"]))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)
objects = st.dictionaries(st.sampled_from("abc"), values, max_size=3)


@pytest.mark.parametrize(
    ("text", "expect"),
    [
        ("metadata.name", ("metadata", "name")),
        ("spec.containers[0].name", ("spec", "containers", 0, "name")),
        ("data[.config.yml]", ("data", ".config.yml")),
        ("metadata.annotations['crossplane.io/external-name']", ("metadata", "annotations", "crossplane.io/external-name")),
        ('a["b"]', ("a", "b")),
        ("[42]", (42,)),
        ("a[4294967295]", ("a", 4294967295)),
        ("a[4294967296]", ("a", "4294967296")),
        ("a['0']", ("a", "0")),
        ("a[0]b", ("a", 0, "b")),
        ("a[*]", ("a", "*")),
        ("", ()),
    ],
)  # fmt: skip
def test_a_path_says_fields_and_places(text, expect):
    assert parsed(text) == expect


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (".a", "unexpected '.' at position 0"),
        ("a.", "unexpected '.' at position 1"),
        ("a..b", "unexpected '.' at position 2"),
        ("a.[0]", "unexpected '[' at position 2"),
        ("a[]", "unexpected ']' at position 2"),
        ("a]", "unexpected ']' at position 1"),
        ("a[b[c]]", "unexpected '[' at position 3"),
        ("a[b", "unterminated '[' at position 1"),
        ("é..a", "unexpected '.' at position 3"),
    ],
)
def test_a_path_that_cannot_be_read_says_where(text, why):
    with pytest.raises(BadFieldPath) as told:
        parsed(text)
    assert str(told.value) == f'cannot parse path "{text}": {why}'
    with pytest.raises(BadFieldPath, match="cannot parse path"):
        Path(text).value({})


@given(segments)
def test_what_is_written_is_read_again(path):
    assert parsed(text_of(path)) == path


@pytest.mark.parametrize(
    ("path", "fault", "code"),
    [
        ("a.x", "a.x: no such field", "field-not-found"),
        ("l[2]", "l[2]: no such element", "field-not-found"),
        ("n.x", "n: expected map, got nil", "field-not-found"),
        ("a[0]", "a: not an array", "bad-field-path"),
        ("s.x", "s: not an object", "bad-field-path"),
        ("[0]", ": not an array", "bad-field-path"),
    ],
)
def test_what_is_not_there_is_told_apart_from_what_cannot_be(path, fault, code):
    of = {"a": {"b": 1}, "l": [1, 2], "n": None, "s": "text"}
    with pytest.raises((FieldNotFound, BadFieldPath)) as told:
        value_at(of, parsed(path))
    assert (str(told.value), told.value.code) == (fault, code)


def test_a_null_at_the_end_is_a_value():
    assert value_at({"a": None}, ("a",)) is None
    assert value_at({"a": 1}, ()) is None


@given(objects, segments, values)
def test_what_was_put_is_there_and_nothing_that_was_given_changed(of, path, value):
    before = encode(of)
    try:
        new = with_value(of, path, value)
    except BadFieldPath:
        new = of
    else:
        assert value_at(new, path) == value
    assert encode(of) == before


@given(objects, segments)
def test_what_was_removed_is_gone_and_nothing_that_was_given_changed(of, path):
    before = encode(of)
    try:
        new = without(of, path)
    except BadFieldPath:
        return
    assert encode(of) == before
    if isinstance(path[-1], str):
        with pytest.raises((FieldNotFound, BadFieldPath)):
            value_at(new, path)


def test_what_does_not_change_is_shared():
    of = {"a": {"b": 1}, "c": {"d": 2}}
    new = with_value(of, ("a", "b"), 3)
    assert new["c"] is of["c"]
    assert of["a"]["b"] == 1


def test_a_draft_copies_once_and_never_writes_into_what_it_was_given():
    shared = {"x": 1}
    draft = Draft({"a": {"b": 1}})
    draft.put(("a", "c"), shared)
    inside = draft.object["a"]
    draft.put(("a", "c", "y"), 2)
    assert draft.object["a"] is inside
    assert (draft.object, shared) == ({"a": {"b": 1, "c": {"x": 1, "y": 2}}}, {"x": 1})


def test_lists_grow_with_nulls_up_to_a_bound():
    assert with_value({}, parsed("a[2].b"), 1) == {"a": [None, None, {"b": 1}]}
    assert with_value({"a": [1]}, parsed("a[2]"), 3) == {"a": [1, None, 3]}
    assert len(with_value({}, parsed("a[1024]"), 1)["a"]) == 1025
    with pytest.raises(BadFieldPath, match=r"^index 1000000 is greater than max allowed index 1024$"):
        with_value({}, parsed("a[1000000]"), 1)


@pytest.mark.parametrize(
    ("path", "fault"),
    [("s.x", "s is not an object"), ("s[0]", "s is not an array"), ("n.x", "n is not an object"), ("[0]", " is not an array")],
)  # fmt: skip
def test_nothing_is_put_where_it_cannot_be(path, fault):
    with pytest.raises(BadFieldPath) as told:
        with_value({"s": "text", "n": None}, parsed(path), 1)
    assert str(told.value) == fault


def test_elements_move_up_when_one_is_removed():
    assert without({"a": [1, 2, 3]}, parsed("a[1]")) == {"a": [1, 3]}
    assert without({"a": {"b": 1}}, parsed("a.c.d")) == {"a": {"b": 1}}
    assert without({"a": 1}, ()) == {"a": 1}
    with pytest.raises(BadFieldPath, match=r"^cannot delete a\.b: not an object$"):
        without({"a": [1]}, parsed("a.b"))
    with pytest.raises(BadFieldPath, match=r"^a is not an array$"):
        without({"a": {}}, parsed("a[0].b"))


def test_wildcards_stand_for_what_is_there():
    of = {"a": [{"b": 1}, {"b": 2}, {}], "m": {"x": 1, "y.z": 2}, "n": None, "s": "t", "*": 5}
    assert [text_of(each) for each in expanded(of, parsed("a[*].b"))] == ["a[0].b", "a[1].b"]
    assert [text_of(each) for each in expanded(of, parsed("m[*]"))] == ["m.x", "m[y.z]"]
    assert expanded(of, parsed("gone[*]")) == []
    # Upstream would never come back from a key that is called like a wildcard.
    assert expanded({"*": 1}, ("*",)) == [("*",)]


@pytest.mark.parametrize(
    ("path", "fault", "kind"),
    [
        ("n[*]", 'wildcard field "n" is not found in the path', FieldNotFound),
        ("s[*]", '"s": unexpected wildcard usage', BadFieldPath),
        ("l[*].x", '"l[0].x": cannot expand wildcards: l[0]: not an object', BadFieldPath),
    ],
)
def test_wildcards_in_nothing_are_refused(path, fault, kind):
    with pytest.raises(kind) as told:
        expanded({"n": None, "s": "t", "l": [1]}, parsed(path))
    assert str(told.value) == f'cannot expand wildcards for segments: "{text_of(parsed(path))}": {fault}'


KEEP, FORCE = MergeOptions(keep_map_values=True), MergeOptions()
BOTH, APPEND = MergeOptions(keep_map_values=True, append_slice=True), MergeOptions(append_slice=True)


@pytest.mark.parametrize(
    ("existing", "value", "options", "expect", "why"),
    [
        ({"a": 1}, {"b": 2}, None, {"b": 2}, "no options: replaced"),
        ({"a": 1, "c": 3}, {"a": 2, "b": 2}, KEEP, {"a": 1, "b": 2, "c": 3}, "what is there wins"),
        ({"a": 1}, {"a": 2, "b": 2}, FORCE, {"a": 2, "b": 2}, "what comes wins"),
        ({"a": 0, "b": "", "c": [], "d": {}}, {"a": 1, "b": "x", "c": [1], "d": {"e": 1}}, KEEP, {"a": 1, "b": "x", "c": [1], "d": {"e": 1}}, "empty is nothing"),
        ({"a": {"x": 1}}, {"a": {"x": 2, "y": 3}}, KEEP, {"a": {"x": 1, "y": 3}}, "deep"),
        ([1, 2], [2, 3], KEEP, [1, 2], "lists are kept"),
        ([1, 2], [2, 3], FORCE, [2, 3], "lists are replaced"),
        ([1, 2], [2, 3], BOTH, [1, 2, 3], "lists are appended to, without what is in them"),
        ({"l": [1]}, {"l": [1]}, APPEND, {"l": [1, 1]}, "inside, even what is in them"),
        ([1], [1.0, True], APPEND, [1, 1.0, True], "a float is no integer, nor is true"),
        (None, {"a": 1}, KEEP, {"a": 1}, "null is replaced"),
        ({"a": 1}, None, KEEP, None, "null replaces"),
        ({"a": 1}, {"a": None}, KEEP, {"a": 1}, "null inside is kept out"),
        ({"a": 1}, {"a": None}, FORCE, {"a": None}, "null inside overrides"),
        ("x", {"a": 1}, KEEP, "x", "what is there wins over another type too"),
        ({"a": "x"}, {"a": {"b": 1}}, FORCE, {"a": {"b": 1}}, "another type"),
    ],
    ids=lambda each: each if isinstance(each, str) else None,
)  # fmt: skip
def test_merges_follow_the_options(existing, value, options, expect, why):
    assert encode_sorted(merged(existing, value, options)) == encode_sorted(expect), why


def test_a_list_is_not_appended_to_something_else():
    with pytest.raises(BadPatch) as told:
        merged({"a": "x"}, {"a": [1]}, APPEND)
    assert str(told.value) == (
        "failed to merge values: cannot append two slices with different type ([]interface {}, string)"
    )


@given(values, values, st.sampled_from([None, KEEP, FORCE, BOTH, APPEND]))
def test_merging_changes_nothing_that_was_given(existing, value, options):
    before = encode([existing, value])
    try:
        result = merged(existing, value, options)
    except BadPatch:
        return
    assert encode([existing, value]) == before
    assert decode(encode(result)) == result


def test_a_path_is_not_deeper_than_objects_are():
    with pytest.raises(BadFieldPath, match="more than 200 segments"):
        parsed("a" + ".a" * 5000)
    assert len(parsed("a" + ".a" * 199)) == 200
