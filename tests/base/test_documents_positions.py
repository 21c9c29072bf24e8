"""The line that a field is written at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.documents import dump_yaml, line_of, load_documents

YAML = """\
# a deployment
kind: Deployment
metadata:
  name: web
  labels: {app: web,
           tier: front}
spec:
  template: &template
    containers:
    - name: a
      image: b
    -
      name: c
  copy: *template
  merged:
    <<: *template
    own: 1
  0x10: hex
---
second:
- 1
- - 2
  - 3
"""

LINES = [
    (0, (), 2, "the document"),
    (0, ("kind",), 2, "a field"),
    (0, ("metadata", "labels", "tier"), 6, "in flow style"),
    (0, ("spec", "template", "containers", 0), 10, "an item"),
    (0, ("spec", "template", "containers", 1), 13, "an item that begins on the next line"),
    (0, ("spec", "template", "containers", 1, "name"), 13, "a field in it"),
    (0, ("spec", "copy", "containers", 0, "name"), 14, "behind an alias: the alias"),
    (0, ("spec", "merged", "containers"), 16, "brought by a merge: the merge"),
    (0, ("spec", "merged", "own"), 17, "beside a merge"),
    (0, ("spec", "16"), 18, "a key that is not text"),
    (0, ("spec", "replicas"), 7, "not there: what it would be in"),
    (0, ("nowhere", "at", "all"), 2, "not there: the document"),
    (1, ("second", 1, 1), 23, "in the second document"),
]


@pytest.mark.parametrize(("index", "path", "line", "why"), LINES, ids=[row[3] for row in LINES])
def test_a_field_has_the_line_that_sets_it(index, path, line, why):
    assert line_of(YAML, load_documents(YAML)[index], path) == line, why
    assert line_of(YAML.encode(), load_documents(YAML)[index], path) == line, why


JSON = '\n{"a": 1,\n "b": [1,\n {"c": {}}, "x"], "d": {}}\n{"e":\n 1}\n---\nf: 1\ng: 2\n'


@pytest.mark.parametrize(
    ("index", "path", "line"),
    [
        (0, (), 2),
        (0, ("a",), 2),
        (0, ("b", 0), 3),
        (0, ("b", 1), 4),
        (0, ("b", 1, "c"), 4),
        (0, ("b", 2), 4),
        (0, ("d", "x"), 4),
        (1, ("e",), 5),
        (2, ("g",), 9),
    ],
)
def test_json_has_lines_too(index, path, line):
    assert line_of(JSON, load_documents(JSON)[index], path) == line


def test_aliases_of_keys_are_followed():
    text = "a: &k name\n*k : 1\nb: 2\n"
    (document,) = load_documents(text)
    assert line_of(text, document, ("name",)) == 2
    assert line_of(text, document, ("b",)) == 3


def test_of_a_key_that_is_set_twice_the_last_counts():
    text = "a: 1\na: 2\n"
    (document,) = load_documents(text, repeats="ignore")
    assert line_of(text, document, ("a",)) == 2


def _paths(value, path=()):
    yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in steps:
        yield from _paths(child, (*path, step))


NAMES = st.text("abc", min_size=1, max_size=3)
TREES = st.recursive(
    NAMES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=12
)


@given(st.dictionaries(NAMES, TREES, min_size=1, max_size=4))
def test_every_field_of_a_block_document_is_on_a_line_that_names_it(value):
    text = "# first line\n" + dump_yaml(value)
    (document,) = load_documents(text)
    lines = text.splitlines()
    for path in _paths(value):
        line = lines[line_of(text, document, path) - 1]
        assert not path or not isinstance(path[-1], str) or f"{path[-1]}:" in line
