"""Documents, anchors, merges and repeated keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.documents import Duplicate, load_document, load_documents
from plumbline.base.documents.places import REPORTED
from plumbline.base.errors import BadDocument, DuplicateKey, PlumblineError


def values(text, **options):
    return [document.value for document in load_documents(text, **options)]


STREAMS = [
    ("", [], "nothing"),
    ("# only a comment\n", [], "comments"),
    ("---\n---\n# x\n---\nnull\n---\n~\n", [], "documents with nothing in them"),
    ("a: 1", [{"a": 1}], "no newline at the end"),
    ("---\na: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}], "two documents"),
    ("a: 1\n--- # Source: x.yaml\nb: 2\n", [{"a": 1}, {"b": 2}], "a comment after the separator"),
    ("a: 1\n---#x\nb: 2\n", [{"a": 1}, {"b": 2}], "even without a space"),
    ("a: 1\n--- \t\r\nb: 2\n", [{"a": 1}, {"b": 2}], "space after the separator"),
    ("a: 1\n...\n---\nb: 2\n...\n", [{"a": 1}, {"b": 2}], "documents that say where they end"),
    ("a: ---\n", [{"a": "---"}], "dashes elsewhere are text"),
    ("\ufeffa: 1\n", [{"a": 1}], "a byte order mark"),
    ("\ufeff---\na: 1\n", [{"a": 1}], "a byte order mark before a separator"),
    ("a: 1\n---\n\ufeffb: 2\n", [{"a": 1}, {"b": 2}], "one that was joined in front of a document"),
    ('\ufeff{"a": 1}', [{"a": 1}], "JSON with a byte order mark is read as YAML"),
    ("a: b\r\nc: |\r\n  x\r\n  y\r\n", [{"a": "b", "c": "x\ny\n"}], "Windows line ends"),
    ("a: |\n  x\n  y", [{"a": "x\ny\n"}], "the last line of a block has an end even if the file has none"),
    ("a: |-\n  x\n  y", [{"a": "x\ny"}], "unless it says otherwise"),
    ('{"a": 1}', [{"a": 1}], "JSON"),
    ('\n {"a": 1}{"b": 2}\n{"c": 3}', [{"a": 1}, {"b": 2}, {"c": 3}], "several JSON objects in a row"),
    ('{"a": 1}\n---\nb: 2\n', [{"a": 1}, {"b": 2}], "JSON, then YAML"),
    ("{a: 1, b: [x, z]}", [{"a": 1, "b": ["x", "z"]}], "YAML that begins like JSON"),
    ('{"a": 1, # why\n "b": 2,}', [{"a": 1, "b": 2}], "JSON with comments is YAML"),
    ("[1, 2]", [[1, 2]], "a list"),
    ("just text", ["just text"], "text"),
    ("0", [0], "a falsy value is a document"),
]


@pytest.mark.parametrize(("text", "expected", "why"), STREAMS, ids=[row[2] for row in STREAMS])
def test_a_text_is_cut_into_documents_where_kubectl_cuts(text, expected, why):
    assert values(text) == expected, why
    assert values(text.encode()) == expected, why


SPOTS = [
    ("a: 1\n---\n\n# x\nb: 2\n", [1, 5]),
    ("# x\n\n---\n# y\na: 1\n", [5]),
    ('\n\n{"a": 1}\n\n{"b":\n 2}\n---\nc: 3', [3, 5, 8]),
    ("a: 1\r\n---\r\nb: 2\r\n", [1, 3]),
]


@pytest.mark.parametrize(("text", "lines"), SPOTS)
def test_a_document_knows_the_line_that_it_begins_at(text, lines):
    assert [document.line for document in load_documents(text)] == lines


REFUSED = [
    ("--- {a: 1}", 1, 1, "kubectl takes nothing after a separator"),
    ("a: 1\n---b: 2\n", 2, 1, "same"),
    ("a: 1\n...\nb: 2\n", 3, 1, "kubectl would drop the rest"),
    ("[a]\nb: 1\n", 2, 1, "same"),
    ("a: 1\r---\rb: 2", 2, 1, "same, since lines end with a newline"),
    ("%YAML 1.1\n---\na: 1\n", 2, 1, "directives stand alone after the cut"),
    ("a: 1\n b: 2\n", 2, 3, "bad indentation"),
    ("a:\n\t- b\n", 2, 1, "tab"),
    ("a: [1, 2\n", 2, 1, "never closed"),
    ("a: 'x\n", 2, 1, "never closed"),
    ("a: @x\n", 1, 4, "reserved"),
    ("a: *x\n", 1, 4, "no such anchor"),
    ("x: &x 1\n---\na: *x\n", 3, 4, "anchors end with their document"),
    ("a: &x [*x]\n", 1, 8, "inside of itself"),
    ("a: &x {<<: *x}\n", 1, 12, "same"),
    ("a: &x 1\nb: &x [*x]\n", 2, 8, "same, although the name was used before"),
    ("<<: 1\n", 1, 5, "only mappings can be merged"),
    ("<<: [a]\n", 1, 5, "same"),
    ("a: &a [{x: 1}]\n<<: *a\n", 2, 5, "not an alias for a list"),
    ("a: 1\n\ufeffb: 2\n", 2, 1, "a byte order mark at the beginning of a line"),
    ("a: \x00\n", 1, 4, "NUL"),
    ("é: b\na: é\x07\n", 2, 5, "control character"),
]


@pytest.mark.parametrize(("text", "line", "column", "why"), REFUSED, ids=[f"{row[3]}: {row[0]!r}" for row in REFUSED])
def test_what_is_not_a_document_is_refused_with_its_place(text, line, column, why):
    with pytest.raises(BadDocument) as refused:
        load_documents(text, source="apps/web.yaml")
    error = refused.value
    assert (error.line, error.column) == (line, column), why
    assert error.source == "apps/web.yaml"
    assert f"apps/web.yaml, line {line}, column {column}," in error.what
    assert error.why


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "latin-1"])
def test_other_encodings_are_refused_by_name_or_as_not_utf8(encoding):
    text = "a: é\n".encode(encoding)
    if encoding == "utf-8-sig":
        assert values(text) == [{"a": "é"}]
        return
    with pytest.raises(BadDocument) as refused:
        load_documents(text)
    assert refused.value.line == 1


def test_bad_utf8_is_refused_at_the_byte():
    with pytest.raises(BadDocument) as refused:
        load_documents(b"a: 1\nb: x\xff\n")
    assert (refused.value.line, refused.value.column) == (2, 5)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a:\n\tb: 1", "spaces"),
        ("a: `x`", "quotes"),
        ("a: b: c", "colon"),
        ("a: 1\n...\nb: 2", "---"),
        ("--- a", "line of its own"),
        ("{{ .Values.x }}: 1", "render"),
        ("a: 1\n\ufeffb: 2\n", "Remove"),
    ],
)
def test_common_mistakes_come_with_a_way_out(text, hint):
    with pytest.raises(BadDocument) as refused:
        load_documents(text)
    assert hint in refused.value.hint


ANCHORS = [
    ("a: &x {k: [1]}\nb: *x\n", {"a": {"k": [1]}, "b": {"k": [1]}}, "alias"),
    ("a: &x 1\nb: &x 2\nc: *x\n", {"a": 1, "b": 2, "c": 2}, "the last one counts"),
    ("&k key: 1\nb: *k\n", {"key": 1, "b": "key"}, "an anchor on a key"),
    ("a: &x 1.0\n*x : b\n", {"a": 1, "1": "b"}, "an alias as a key"),
    ("a: &x 1e6\n*x : b\n", {"a": 1000000, "1e+06": "b"}, "which is written as a key"),
    ("a: &x\nb: *x\n", {"a": None, "b": None}, "an anchor on nothing"),
    (
        "b: &b {a: 1, c: 2}\nd: {<<: *b, a: 3}\n",
        {"b": {"a": 1, "c": 2}, "d": {"a": 3, "c": 2}},
        "keys after a merge win",
    ),
    ("<<: [{a: 1}, {a: 2, b: 3}]\n", {"a": 1, "b": 3}, "of several, the first wins"),
    ("<<: {a: 1}\n<<: {a: 2}\n", {"a": 2}, "of two merges, the second wins"),
    ("<<: {<<: {a: 1}, b: 2}\n", {"a": 1, "b": 2}, "merges in merges"),
    ("!!merge <<: {a: 1}\n", {"a": 1}, "a merge by tag"),
    ("<<: {a: 1}\na: 2\na: 3\n", {"a": 3}, "set twice after a merge"),
]


@pytest.mark.parametrize(("text", "expected", "why"), ANCHORS, ids=[row[2] for row in ANCHORS])
def test_anchors_and_merges_work_as_in_kubectl(text, expected, why):
    assert load_document(text, repeats="ignore").value == expected, why


def test_an_alias_is_the_same_object_as_what_it_stands_for():
    value = load_document("a: &x {k: [1]}\nb: *x\n").value
    assert value["a"] is value["b"]


def test_a_merge_wins_over_keys_before_it_but_that_is_reported_as_set_twice():
    text = "a: 1\nb: 1\n<<: {b: 2}\n"
    assert load_document(text, repeats="report").value == {"a": 1, "b": 2}
    assert load_document(text, repeats="report").duplicates == (Duplicate(("b",), 3, 1),)
    with pytest.raises(DuplicateKey):
        load_documents(text)


REPEATED = [
    ("a: 1\na: 2\n", [Duplicate(("a",), 2, 1)], {"a": 2}),
    ("a: 1\n'a': 2\n", [Duplicate(("a",), 2, 1)], {"a": 2}),
    ("1: x\n'1': z\n", [Duplicate(("1",), 2, 1)], {"1": "z"}),
    ("x:\n- b: {c: 1, c: 2}\n", [Duplicate(("x", 0, "b", "c"), 2, 13)], {"x": [{"b": {"c": 2}}]}),
    ("<<: {a: 1}\na: 2\na: 3\n", [Duplicate(("a",), 3, 1)], {"a": 3}),
    ('{"a": 1,\n "a": 2}', [Duplicate(("a",), 2, 2)], {"a": 2}),
    ('{"x": [{}, {"k": 1, "k" : 2}]}', [Duplicate(("x", 1, "k"), 1, 21)], {"x": [{}, {"k": 2}]}),
    ('{"a": {"b": 1}, "c": {"b": ":"}}', [], {"a": {"b": 1}, "c": {"b": ":"}}),
    (r'{"a\u0062": 1, "ab": 2}', [Duplicate(("ab",), 1, 16)], {"ab": 2}),
]


@pytest.mark.parametrize(("text", "duplicates", "value"), REPEATED)
def test_keys_that_are_set_twice_are_found_with_path_and_place(text, duplicates, value):
    document = load_document(text, repeats="report")
    assert list(document.duplicates) == duplicates
    assert document.value == value
    assert load_document(text, repeats="ignore").duplicates == ()
    if duplicates:
        with pytest.raises(DuplicateKey) as refused:
            load_documents(text)
        assert (refused.value.line, refused.value.column) == (duplicates[0].line, duplicates[0].column)


@pytest.mark.parametrize("text", ["a: 1\n" * 500, "{" + '"a":1,' * 500 + '"a":1}'])
def test_the_list_of_duplicates_is_bounded(text):
    assert len(load_document(text, repeats="report").duplicates) == REPORTED


@pytest.mark.parametrize(
    ("text", "why"), [("", "empty"), ("---\n# x\n", "empty"), ("a: 1\n---\nb: 2\n", "2 documents")]
)
def test_one_document_is_exactly_one(text, why):
    with pytest.raises(BadDocument) as refused:
        load_document(text, source="x.yaml")
    assert why in refused.value.why


def code_of(text):
    try:
        load_documents(text)
    except PlumblineError as refused:
        return refused.code
    return "read"


CODES = {"read", "bad-document", "duplicate-key", "limit-exceeded"}


@given(st.binary(max_size=80))
def test_bytes_are_read_or_refused_and_nothing_else(raw):
    assert code_of(raw) in CODES


SNIPPETS = st.sampled_from(
    [
        "a",
        "b: ",
        "- ",
        "\n",
        "  ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&x ",
        "*x",
        "<<: ",
        "!!str ",
        "'",
        '"',
        "|\n",
        "---\n",
        "...\n",
        "? ",
        "1",
        "#",
    ]
)


@given(st.lists(SNIPPETS, max_size=30))
def test_what_looks_like_yaml_is_read_or_refused_and_nothing_else(snippets):
    assert code_of("".join(snippets)) in CODES
