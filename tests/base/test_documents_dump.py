"""YAML that is written, and that it is read back to the same."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.documents import dump_yaml, load_document, load_documents
from plumbline.base.documents.scalars import json_number
from plumbline.base.errors import InvalidInput

WRITTEN = [
    ({"b": 1, "a": [1, {"x": None}], "c": {}}, "a:\n- 1\n- x: null\nb: 1\nc: {}\n", "sorted, lists not indented"),
    ({"a": "yes"}, 'a: "yes"\n', "text that looks like a boolean"),
    ({"a": "1"}, 'a: "1"\n', "text that looks like a number"),
    ({"a": "1e3"}, 'a: "1e3"\n', "same"),
    ({"a": "2020-01-01"}, 'a: "2020-01-01"\n', "text that looks like a date"),
    ({"a": "2020-13-01"}, "a: 2020-13-01\n", "but is none"),
    ({"a": "12:30"}, 'a: "12:30"\n', "base 60, for other readers"),
    ({"a": ""}, 'a: ""\n', "empty text"),
    ({"a": "x\ny\n"}, "a: |\n  x\n  y\n", "lines"),
    ({"a": "x\n\n"}, "a: |+\n  x\n\n", "lines that end in more, without a mark after them"),
    ({"a": "# no comment"}, "a: '# no comment'\n", "what would be a comment"),
    ({"a": "\x07"}, 'a: "\\a"\n', "control characters"),
    ({"<<": "x"}, '"<<": x\n', "a key that would merge"),
    ({"a": "<<"}, "a: <<\n", "which is harmless as a value"),
    ({"n": 1, "1": 2}, '"1": 2\n"n": 1\n', "keys are quoted like values"),
    ({"a": True, "b": False}, "a: true\nb: false\n", "booleans"),
    (
        {"a": 1.5, "b": 1e21, "c": 1234567.5, "d": 1e-7},
        "a: 1.5\nb: 1e+21\nc: 1.2345675e+06\nd: 1e-07\n",
        "floats as Go writes them",
    ),
    ({"a": 2.0, "b": 1e19}, "a: 2\nb: 10000000000000000000\n", "whole floats"),
    ("text", "text\n", "a scalar alone"),
    ([], "[]\n", "nothing in it"),
    ({"a": (1, 2)}, "a:\n- 1\n- 2\n", "tuples are lists"),
]


@pytest.mark.parametrize(("value", "text", "why"), WRITTEN, ids=[row[2] for row in WRITTEN])
def test_values_are_written_as_kubectl_writes_them(value, text, why):
    assert dump_yaml(value) == text, why


def test_keys_come_in_the_order_of_kubectl():
    keys = ["b", "a10", "a9", "a09", "A", "10", "9", "a", "a.b", "a-b", "ab", "", "0x", "100", "110"]
    written = [line.split(":")[0].strip('"') for line in dump_yaml(dict.fromkeys(keys, 1)).splitlines()]
    assert written == ["", "0x", "9", "10", "100", "110", "A", "a", "a-b", "a.b", "a9", "a09", "a10", "ab", "b"]


@given(st.permutations(["a9", "a10", "a1b", "0x", "1e", "02", "9" * 5000, "8" * 5000]))
def test_equal_values_are_written_the_same_whatever_order_their_keys_came_in(keys):
    assert dump_yaml(dict.fromkeys(keys, 1)) == dump_yaml(dict.fromkeys(sorted(keys), 1))


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), b"x", {"a": {1, 2}}])
def test_what_json_has_not_is_refused(value):
    with pytest.raises(InvalidInput):
        dump_yaml(value)


def test_what_is_too_deep_is_refused():
    value = []
    for _ in range(300):
        value = [value]
    with pytest.raises(InvalidInput):
        dump_yaml(value)


TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    [
        "yes",
        "~",
        "null",
        "0x1F",
        "1_000",
        "-",
        "- a",
        "a: b",
        "a #b",
        "\n",
        " x",
        "x ",
        "\t",
        "'",
        '"',
        "%a",
        "---",
        "...",
        "\ufeff",
        "\x85",
        "\u2028x\n",
    ]
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(json_number)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=15,
)


@given(JSON.filter(lambda value: value is not None))
def test_what_is_written_is_read_back_as_the_same(value):
    assert load_document(dump_yaml(value)).value == value


@given(st.lists(st.dictionaries(TEXT, TEXT, min_size=1, max_size=3), max_size=4))
def test_documents_can_be_joined(values):
    text = "---\n".join(dump_yaml(value) for value in values)
    assert [document.value for document in load_documents(text)] == values
