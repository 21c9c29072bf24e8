import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadFieldPath, FieldNotFound, InvalidInput, LimitExceeded
from plumbline.base.json import encode
from plumbline.kube.equality import identical
from plumbline.kube.fieldpath import (
    FieldPath,
    MergeOptions,
    delete_path,
    expand_wildcards,
    get_path,
    merge_path,
    set_path,
)

from .strategies import objects, values

PARSED = [
    ("", (), "nothing"),
    ("spec", ("spec",), "a field"),
    ("metadata.name", ("metadata", "name"), "a field of a field"),
    ("spec.containers[0].name", ("spec", "containers", 0, "name"), "a field of an item"),
    ("items[0][8]", ("items", 0, 8), "an item of an item"),
    ("[42]", (42,), "an item of the root"),
    ("data[.config.yml]", ("data", ".config.yml"), "dots in brackets are letters"),
    ("a['b.c/d']", ("a", "b.c/d"), "quotes are taken off"),
    ('a["0"]', ("a", "0"), "and make a name of a number"),
    ("a[00]", ("a", 0), "zeros before a number mean nothing"),
    ("a[4294967295]", ("a", 4294967295), "the largest index"),
    ("a[4294967296]", ("a", "4294967296"), "beyond it is a name"),
    ("a[-1]", ("a", "-1"), "there are no negative indices"),
    ("a.0", ("a", "0"), "without brackets a number is a name"),
    ("a[0]b", ("a", 0, "b"), "a name may follow a bracket at once"),
    ("spec[*].name", ("spec", "*", "name"), "a wildcard"),
    ("spec.*.name", ("spec", "*", "name"), "a wildcard in the open"),
]


@pytest.mark.parametrize(("text", "segments", "why"), PARSED, ids=[case[0] for case in PARSED])
def test_paths_are_read(text, segments, why):
    assert FieldPath.parse(text) == segments, why


MALFORMED = [
    (".a", "unexpected '.' at position 0"),
    ("a.", "unexpected '.' at position 1"),
    ("a..b", "unexpected '.' at position 2"),
    ("a[0].", "unexpected '.' at position 4"),
    ("a[]", "unexpected ']' at position 2"),
    ("a]", "unexpected ']' at position 1"),
    ("a.]", "unexpected ']' at position 2"),
    ("a.[0]", "unexpected '[' at position 2"),
    ("a[0", "unterminated '[' at position 1"),
    ("a[b[0]]", "unexpected '[' at position 3"),
    ("é..b", "unexpected '.' at position 3"),
]


@pytest.mark.parametrize(("text", "fault"), MALFORMED)
def test_what_is_no_path_is_refused_with_the_place(text, fault):
    with pytest.raises(BadFieldPath) as refused:
        FieldPath.parse(text)
    assert str(refused.value) == f'cannot parse path "{text}": {fault}'


def test_paths_have_an_end():
    with pytest.raises(BadFieldPath):
        FieldPath.parse("a." * 10_000 + "a")


PRINTED = [
    (("spec", "containers", 0, "name"), "spec.containers[0].name"),
    (("metadata", "annotations", "a.b/c"), "metadata.annotations[a.b/c]"),
    (("a", "*"), "a[*]"),
    ((0, "a"), "[0].a"),
    (("a", "0"), "a.0"),
]


@pytest.mark.parametrize(("segments", "text"), PRINTED)
def test_paths_print_in_one_way(segments, text):
    assert str(FieldPath(segments)) == text
    assert repr(FieldPath(segments)) == f"FieldPath('{text}')"


OBJECT = {
    "metadata": {"name": "cool", "annotations": {"a.b/c": "x"}},
    "spec": {"items": [{"n": 1}, {"n": 2}, None], "nil": None, "text": "x"},
}
FOUND = [
    ("metadata.name", "cool"),
    ("metadata.annotations['a.b/c']", "x"),
    ("spec.items[1].n", 2),
    ("spec.items[2]", None),
    ("spec.nil", None),
    ("", None),
]
NOT_FOUND = [
    ("metadata.nope", FieldNotFound, "metadata.nope: no such field"),
    ("spec.items[3]", FieldNotFound, "spec.items[3]: no such element"),
    ("spec.nil.a", FieldNotFound, "spec.nil: expected map, got nil"),
    ("spec.items[2].n", FieldNotFound, "spec.items[2]: expected map, got nil"),
    ("spec.text.a", BadFieldPath, "spec.text: not an object"),
    ("spec.items.n", BadFieldPath, "spec.items: not an object"),
    ("metadata[0]", BadFieldPath, "metadata: not an array"),
    ("spec.nil[0]", BadFieldPath, "spec.nil: not an array"),
    ("[0]", BadFieldPath, ": not an array"),
]


@pytest.mark.parametrize(("path", "expected"), FOUND)
def test_values_are_found(path, expected):
    assert get_path(OBJECT, path) == expected


@pytest.mark.parametrize(("path", "error", "message"), NOT_FOUND)
def test_what_is_not_there_is_told_from_what_cannot_be(path, error, message):
    with pytest.raises(error) as refused:
        get_path(OBJECT, path)
    assert str(refused.value) == message


SETS = [
    ({}, "a", 1, {"a": 1}, "a field"),
    ({}, "a.b.c", 1, {"a": {"b": {"c": 1}}}, "objects are made on the way"),
    ({}, "a[1].b", 1, {"a": [None, {"b": 1}]}, "and lists, with nulls before"),
    ({}, "a[0][1]", 1, {"a": [[None, 1]]}, "also in lists"),
    ({"a": [1]}, "a[3]", 4, {"a": [1, None, None, 4]}, "lists grow"),
    ({"a": [[1]]}, "a[0][2]", 3, {"a": [[1, None, 3]]}, "wherever they are"),
    ({"a": [None]}, "a[0].b", 1, {"a": [{"b": 1}]}, "null items are filled"),
    ({"a": {"b": 1}}, "a.b", {"c": 2}, {"a": {"b": {"c": 2}}}, "values are replaced"),
    ({"a": 1}, "", 5, {"a": 1}, "nothing is set nowhere"),
]


@pytest.mark.parametrize(("root", "path", "value", "expected", "why"), SETS, ids=[case[-1] for case in SETS])
def test_values_are_set(root, path, value, expected, why):
    before = encode(root)
    assert identical(set_path(root, path, value), expected), why
    assert encode(root) == before


NOT_SET = [
    ({"a": "x"}, "a.b", BadFieldPath, "a is not an object"),
    ({"a": None}, "a.b", BadFieldPath, "a is not an object"),
    ({"a": {}}, "a[0]", BadFieldPath, "a is not an array"),
    ({"a": {}}, "a[0].b", BadFieldPath, "a is not an array"),
    ({}, "[0]", BadFieldPath, " is not an array"),
    ({}, "a[1025]", LimitExceeded, "index 1025 is greater than max allowed index 1024"),
]


@pytest.mark.parametrize(("root", "path", "error", "message"), NOT_SET)
def test_what_cannot_be_set_is_refused(root, path, error, message):
    with pytest.raises(error) as refused:
        set_path(root, path, 1)
    assert str(refused.value) == message


def test_the_largest_index_can_be_set():
    assert len(set_path({}, "a[1024]", 1)["a"]) == 1025


DELETES = [
    ({"a": 1, "b": 2}, "a", {"b": 2}, "a field"),
    ({"a": {"b": 1}}, "a.b", {"a": {}}, "a field of a field"),
    ({"a": [1, 2, 3]}, "a[1]", {"a": [1, 3]}, "an item"),
    ({"a": [{"b": 1}]}, "a[0].b", {"a": [{}]}, "a field of an item"),
    ({"a": [[1]]}, "a[0][0]", {"a": [[]]}, "an item of an item"),
]


@pytest.mark.parametrize(("root", "path", "expected", "why"), DELETES, ids=[case[-1] for case in DELETES])
def test_values_are_deleted(root, path, expected, why):
    before = encode(root)
    assert delete_path(root, path) == expected, why
    assert encode(root) == before


@pytest.mark.parametrize("path", ["b", "b.c", "a.b.c", "l[5]", "l[5].a", "l[0].x", ""])
def test_deleting_nothing_gives_the_same_object(path):
    root = {"a": {}, "l": [{}]}
    assert delete_path(root, path) is root


NOT_DELETED = [
    ({"a": "x"}, "a.b.c", "a is not an object"),
    ({"a": {}}, "a[0].c", "a is not an array"),
    ({"a": "x"}, "a.b", "cannot delete a.b: not an object"),
    ({"a": {}}, "a[0]", "cannot delete a[0]: not an array"),
    ({}, "[0]", "cannot delete [0]: not an array"),
]


@pytest.mark.parametrize(("root", "path", "message"), NOT_DELETED)
def test_what_cannot_be_deleted_is_refused(root, path, message):
    with pytest.raises(BadFieldPath) as refused:
        delete_path(root, path)
    assert str(refused.value) == message


WILD = {
    "spec": {
        "containers": [{"name": "a", "args": ["x", "y"]}, {"name": "b"}],
        "labels": {"l.1": 1, "l2": 2},
        "nil": None,
        "text": "x",
    }
}
EXPANDED = [
    ("spec.containers[*].name", ["spec.containers[0].name", "spec.containers[1].name"], "lists"),
    ("spec.containers[*].args[*]", ["spec.containers[0].args[0]", "spec.containers[0].args[1]"], "lists in lists"),
    ("spec.labels[*]", ["spec.labels[l.1]", "spec.labels.l2"], "objects"),
    ("spec.text", ["spec.text"], "no wildcard"),
    ("spec.gone[*]", [], "what is missing is no path"),
    ("spec.containers[*].gone", [], "nor is what is missing everywhere"),
]


@pytest.mark.parametrize(("path", "expected", "why"), EXPANDED, ids=[case[-1] for case in EXPANDED])
def test_wildcards_stand_for_what_is_there(path, expected, why):
    assert list(map(str, expand_wildcards(WILD, path))) == expected, why


NOT_EXPANDED = [
    (
        "spec.nil[*]",
        FieldNotFound,
        'cannot expand wildcards for segments: "spec.nil[*]": wildcard field "spec.nil" is not found in the path',
    ),
    (
        "spec.text[*]",
        BadFieldPath,
        'cannot expand wildcards for segments: "spec.text[*]": "spec.text": unexpected wildcard usage',
    ),
    (
        "spec.containers[*][0]",
        BadFieldPath,
        'cannot expand wildcards for segments: "spec.containers[*][0]": "spec.containers[0][0]": cannot expand wildcards: spec.containers[0]: not an array',
    ),
]


@pytest.mark.parametrize(("path", "error", "message"), NOT_EXPANDED)
def test_wildcards_that_fit_nothing_are_refused(path, error, message):
    with pytest.raises(error) as refused:
        expand_wildcards(WILD, path)
    assert str(refused.value) == message


def test_a_field_may_be_called_like_a_wildcard():
    assert expand_wildcards({"a": {"*": {"b": 1}}}, "a[*].b") == [FieldPath(("a", "*", "b"))]


KEEP, APPEND, BOTH, OVERRIDE = (
    MergeOptions(True),
    MergeOptions(append_slice=True),
    MergeOptions(True, True),
    MergeOptions(),
)
MERGES = [
    ({"b": 1}, {"c": 2}, None, {"c": 2}, "without options it replaces"),
    ({"b": 1, "c": 1}, {"c": 2}, OVERRIDE, {"b": 1, "c": 2}, "what comes wins"),
    ({"b": 1, "c": 1}, {"c": 2, "d": 3}, KEEP, {"b": 1, "c": 1, "d": 3}, "unless what is there is kept"),
    ({"b": 0, "c": ""}, {"b": 1, "c": "x"}, KEEP, {"b": 1, "c": "x"}, "but empty values are not kept"),
    ({"b": {"c": 1}}, {"b": {"c": 2, "d": 3}}, KEEP, {"b": {"c": 1, "d": 3}}, "all the way down"),
    ({"b": 1}, {"b": None}, OVERRIDE, {"b": None}, "null is set"),
    ({"b": 1}, {"b": None, "c": None}, KEEP, {"b": 1}, "or forgotten"),
    ({"b": {}}, {"b": {"c": None}}, KEEP, {"b": {"c": None}}, "unless there was nothing"),
    ({"b": {"c": 1}}, {"b": 1}, OVERRIDE, {"b": 1}, "types may change"),
    ({"b": 1}, {"b": {"c": 1}}, OVERRIDE, {"b": {"c": 1}}, "either way"),
    ([1, 2], [3], OVERRIDE, [3], "lists are replaced"),
    ([1, 2], [3], KEEP, [1, 2], "or kept"),
    ([], [3], KEEP, [3], "unless empty"),
    ([1, 2], [2, 3, True], APPEND, [1, 2, 3, True], "or grow by what they lack"),
    ({"b": [1]}, {"b": [1, 2]}, APPEND, {"b": [1, 1, 2]}, "below the top even by what they have"),
    ({"b": [1]}, {"b": [2], "c": [3]}, BOTH, {"b": [1, 2], "c": [3]}, "also when things are kept"),
    ([], [], APPEND, [], "nothing and nothing is nothing"),
    ("x", "y", OVERRIDE, "y", "scalars are replaced"),
    ("x", "y", KEEP, "x", "or kept"),
    ("x", None, KEEP, None, "null replaces all"),
]


@pytest.mark.parametrize(("there", "coming", "options", "expected", "why"), MERGES, ids=[case[-1] for case in MERGES])
def test_values_are_merged(there, coming, options, expected, why):
    root = {"a": there, "z": 1}
    before = encode([root, coming])
    assert identical(merge_path(root, "a", coming, options), {"a": expected, "z": 1}), why
    assert encode([root, coming]) == before


def test_merging_into_nothing_sets():
    assert merge_path({}, "a.b", [1], APPEND) == {"a": {"b": [1]}}


def test_what_is_no_list_cannot_grow():
    with pytest.raises(InvalidInput) as refused:
        merge_path({"a": "x"}, "a", ["y"], APPEND)
    assert str(refused.value) == (
        "failed to merge values: cannot append two slices with different type ([]interface {}, string)"
    )


def test_a_path_that_does_not_fit_is_no_place_to_merge():
    with pytest.raises(BadFieldPath):
        merge_path({"a": "x"}, "a.b", 1, OVERRIDE)


def test_what_is_beside_the_path_is_shared():
    root = {"a": {"b": [{"c": 1}, {"d": 2}]}, "e": {"f": 1}}
    changed = set_path(root, "a.b[0].c", 2)
    assert changed["e"] is root["e"]
    assert changed["a"]["b"][1] is root["a"]["b"][1]


names = st.text(alphabet="abz.*-/é", min_size=1, max_size=4)
paths = st.lists(names | st.integers(0, 5), max_size=5).map(FieldPath)


@given(paths)
def test_what_is_printed_is_read_again(path):
    assert FieldPath.parse(str(path)) == path


@given(st.text(alphabet="ab.[]*'\"01", max_size=10))
def test_any_text_is_read_or_refused(text):
    try:
        path = FieldPath.parse(text)
    except BadFieldPath:
        return
    if "" not in path:
        assert FieldPath.parse(str(path)) == path


@given(objects, paths, values)
def test_what_is_set_is_there_and_can_be_deleted(root, path, value):
    if not path or not isinstance(path[0], str):
        return
    try:
        changed = set_path(root, path, value)
    except BadFieldPath:
        return
    assert identical(get_path(changed, path), value)
    if isinstance(path[-1], str):
        with pytest.raises(FieldNotFound):
            get_path(delete_path(changed, path), path)


@given(objects)
def test_every_expanded_path_leads_somewhere(root):
    for wild in ("[*]", "[*][*]", "a[*].b"):
        try:
            found = expand_wildcards(root, wild)
        except (BadFieldPath, FieldNotFound):
            continue
        for path in found:
            get_path(root, path)
