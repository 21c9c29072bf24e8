"""A sealed value is changed in a text, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.documents import dump_yaml, load_documents
from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode
from plumbline.cli.sealing.editing import ITEMS, sealed_secrets, with_texts

HEAD = "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db}\n"
NEW = "AQNEW="

REPLACED = [
    ("a: AQ=  # why\n    c: AQ=\n", "a: AQNEW=  # why\n    c: AQ=\n", "a comment on the line stays"),
    ("a: 'AQ='\n    c: x\n", "a: 'AQNEW='\n    c: x\n", "quotes stay"),
    ('a: "AQ="\n', 'a: "AQNEW="\n', "double ones too"),
    ("a: |\n      AQ\n      =\n\n    # c\n    c: x\n", "a: AQNEW=\n\n    # c\n    c: x\n", "lines become one"),
    ("a: >-\n      AQ\n", "a: AQNEW=\n", "folded lines as well"),
    ("a:\n    c: x\n", "a: AQNEW=\n    c: x\n", "what was empty is not"),
    ("a: ~ # c\n", "a: AQNEW= # c\n", "nor what was null"),
    ("a: !!str AQ=\n", "a: AQNEW=\n", "a tag belongs to the value"),
    ("c: &x y\n    a: *x\n", "c: &x y\n    a: AQNEW=\n", "an alias is only a name for a value"),
]

ADDED = [
    ("a: x\n    c: y\n", "a: x\n    b: AQNEW=\n    c: y\n", "sorted keys stay sorted"),
    ("c: y  # d\n", "b: AQNEW=\n    c: y  # d\n", "the first"),
    ("z: x\n    a: y # e\n  template: {}\n", "z: x\n    a: y # e\n    b: AQNEW=\n  template: {}\n", "others come last"),
    (
        "a: |\n      x\n\n  # t\n  template: {}\n",
        "a: |\n      x\n    b: AQNEW=\n\n  # t\n  template: {}\n",
        "after lines",
    ),
    ("a: x", "a: x\n    b: AQNEW=", "a last line without an end"),
    ("a:\n", "a:\n    b: AQNEW=\n", "after one that is empty"),
]


def _text(items):
    return f"{HEAD}spec:\n  encryptedData:\n    {items}".encode()


@pytest.mark.parametrize(("before", "after", "why"), REPLACED, ids=[why for _, _, why in REPLACED])
def test_a_value_is_replaced_where_it_stands(before, after, why):
    assert with_texts(_text(before), 0, {(*ITEMS, "a"): NEW}) == _text(after), why


@pytest.mark.parametrize(("before", "after", "why"), ADDED, ids=[why for _, _, why in ADDED])
def test_a_key_is_added_among_the_others(before, after, why):
    assert with_texts(_text(before), 0, {(*ITEMS, "b"): NEW}) == _text(after), why


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("spec:\n  encryptedData: {}  # none\n", "spec:\n  encryptedData:\n    b: AQNEW=  # none\n"),
        ("spec:\n  encryptedData:\n  template: {}\n", "spec:\n  encryptedData:\n    b: AQNEW=\n  template: {}\n"),
        ("spec:\n  encryptedData: {a: x}\n", "spec:\n  encryptedData: {a: x, b: AQNEW=}\n"),
        ("spec:\n  # t\n  template: {}\n", "spec:\n  # t\n  encryptedData:\n    b: AQNEW=\n  template: {}\n"),
        ("spec: {encryptedData: {}}\n", "spec: {encryptedData: {b: AQNEW=}}\n"),
    ],
)
def test_the_first_key_is_added_where_there_is_none(before, after):
    assert with_texts((HEAD + before).encode(), 0, {(*ITEMS, "b"): NEW}).decode() == HEAD + after


@pytest.mark.parametrize("key", ["yes", "12", "1e3", "null", "1.5", "08", "n"])
def test_a_key_that_yaml_would_read_as_something_else_is_quoted(key):
    after = with_texts(_text("a: x\n"), 0, {(*ITEMS, key): NEW})
    assert load_documents(after)[0].value["spec"]["encryptedData"] == {"a": "x", key: NEW}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("spec: {template: {}}\n", "there is no place for a key"),
        ("metadata: {}\n", "nor here"),
        ("spec:\n  encryptedData: [1]\n", "a list has no keys"),
        ("spec:\n  encryptedData: AQ\n", "nor has a text"),
    ],
)
def test_a_file_of_another_form_is_refused_with_a_way_out(body, why):
    text = f"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\n{body}".encode()
    with pytest.raises(InvalidInput) as refused:
        with_texts(text, 0, {(*ITEMS, "b"): NEW})
    assert "plumb seal" in refused.value.hint, why


@pytest.mark.parametrize(
    ("items", "why"),
    [
        ("a: &x AQ=\n  template: {data: {t: *x}}\n", "an anchor that others use would be gone"),
        ("a: {b: c}\n", "a mapping is no value"),
        ("a: [AQ=]\n", "nor is a list"),
    ],
)
def test_a_value_that_is_more_than_a_text_is_not_replaced(items, why):
    with pytest.raises(InvalidInput):
        with_texts(_text(items), 0, {(*ITEMS, "a"): NEW})


def test_a_key_does_not_go_where_keys_do_not_begin_their_lines():
    with pytest.raises(InvalidInput):
        with_texts(f"{HEAD}spec:\n  encryptedData:\n    ? a\n    : x\n".encode(), 0, {(*ITEMS, "b"): NEW})


def test_line_ends_of_windows_and_a_byte_order_mark_stay():
    before = ("\ufeff" + HEAD + "spec:\n  encryptedData:\n    a: x\n    c: é\n").replace("\n", "\r\n").encode()
    after = with_texts(before, 0, {(*ITEMS, "a"): NEW, (*ITEMS, "b"): NEW})
    assert after == before.replace(b"a: x\r\n", b"a: AQNEW=\r\n    b: AQNEW=\r\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"spec":{"encryptedData":{"a":"x"}}}', '{"spec":{"encryptedData":{"a":"x", "b": "AQNEW="}}}'),
        ('{"spec":{"encryptedData":{}}}', '{"spec":{"encryptedData":{"b": "AQNEW="}}}'),
        (
            '{\n  "spec": {\n    "encryptedData": {\n\t"a":\t"x"\n    }\n  }\n}\n',
            '{\n  "spec": {\n    "encryptedData": {\n\t"a":\t"x",\n\t"b": "AQNEW="\n    }\n  }\n}\n',
        ),
    ],
)
def test_json_stays_json(before, after):
    assert with_texts(before.encode(), 0, {(*ITEMS, "b"): NEW}).decode() == after


def test_json_that_is_no_yaml_is_refused():
    text = b'{"metadata":{"annotations":{"a":"\\ud83d\\ude00"}},"spec":{"encryptedData":{"a":"x"}}}'
    with pytest.raises(InvalidInput, match="cannot be changed in place"):
        with_texts(text, 0, {(*ITEMS, "a"): NEW})


def test_one_of_several_documents_is_changed():
    text = (f"# first\n---\n{HEAD}spec: {{encryptedData: {{a: x}}}}\n" * 2 + "---\nkind: Other\n").encode()
    found = sealed_secrets(text, "file")
    assert [(each.at, each.line) for each in found] == [(0, 3), (1, 9)]
    after = with_texts(text, 1, {(*ITEMS, "a"): NEW, ("metadata", "name"): "other"})
    assert after.decode().count(NEW) == 1
    assert after.startswith(text[: text.rindex(b"apiVersion")])


@given(
    values=st.dictionaries(st.from_regex(r"[-._a-zA-Z0-9]{1,8}", fullmatch=True), st.text("ABCab01+/=", min_size=1)),
    key=st.from_regex(r"[-._a-zA-Z0-9]{1,8}", fullmatch=True),
    form=st.sampled_from(["yaml", "json"]),
)
def test_whatever_is_there_only_that_key_changes(values, key, form):
    obj = {"kind": "SealedSecret", "spec": {"template": {"data": values}, "encryptedData": values, "z": [1]}}
    text = dump_yaml(obj).encode() if form == "yaml" else encode(obj)
    after = load_documents(with_texts(text, 0, {(*ITEMS, key): NEW}))[0].value
    assert after == {**obj, "spec": {**obj["spec"], "encryptedData": {**values, key: NEW}}}
