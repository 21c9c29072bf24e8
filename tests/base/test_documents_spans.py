"""Where entries of a document are written."""

import pytest

from plumbline.base.documents import load_documents
from plumbline.base.documents.spans import written
from plumbline.base.errors import BadDocument


def _spans(text, at=0):
    found = {each.path: each for each in written(text, load_documents(text)[at])}
    return {path: (text[slice(*each.key)], text[slice(*each.value)], each.form) for path, each in found.items()}


def test_every_entry_of_every_mapping_has_its_place():
    text = "a: x # c\nb:\n  - c: 'y'\n    d: \"z\"\n  - - e: |\n        t\n      f: {g: h}\ni: *k\nj:\n"
    text = text.replace("a: x", "a: &k x")
    assert _spans(text) == {
        ("a",): ("a", "&k x", "plain"),
        ("b", 0, "c"): ("c", "'y'", "single"),
        ("b", 0, "d"): ("d", '"z"', "double"),
        ("b", 1, 0, "e"): ("e", "|\n        t\n", "block"),
        ("b", 1, 0, "f", "g"): ("g", "h", "plain"),
        ("b", 1, 0, "f"): ("f", "{g: h}", "flow"),
        ("b",): ("b", text[text.index("- c") : text.index("i:")], "list"),
        ("i",): ("i", "*k", "alias"),
        ("j",): ("j", "", "plain"),
    }


def test_a_later_document_and_odd_characters_do_not_shift_it():
    text = "\ufeffé: ü\r\n---\r\n# é\r\na:\r\n  b: 'é'\r\n"
    assert _spans(text)[("é",)] == ("é", "ü", "plain")
    assert _spans(text, 1)[("a", "b")] == ("b", "'é'", "single")


def test_aliases_merges_and_odd_scalars_are_keys_too():
    text = "- &a yes\n- *a : 1\n  <<: {b: c}\n  1.50: x\n"
    assert set(_spans(text)) == {(1, "true"), (1, "<<", "b"), (1, "<<"), (1, "1.5")}


def test_a_document_that_is_no_mapping_has_no_entries():
    assert _spans("just text\n") == {}


def test_json_that_is_no_yaml_is_refused():
    with pytest.raises(BadDocument):
        _spans('{"a": "\\ud83d\\ude00"}')
