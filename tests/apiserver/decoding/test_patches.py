"""Patch documents, and what the server shows of an object that was patched."""

import pytest

from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.apiserver.decoding.patches import apply_document, merge_document, operations
from plumbline.apiserver.decoding.rendering import merged, sorted_along, tree_as, written
from plumbline.apiserver.decoding.tree import parsed
from plumbline.apiserver.decoding.types import structure
from plumbline.base.json import decode
from plumbline.kube.patch import merge_patch

META = structure("meta/v1.ObjectMeta")


@pytest.mark.parametrize("strict", [True, False])
def test_a_merge_patch_is_an_object_or_null(strict):
    assert merge_document(b'{"a":{"b":1.0}}', strict=strict).value == {"a": {"b": 1}}
    assert merge_document(b"null", strict=strict).value is None
    assert merge_document(b'{"a":1,"a":2}', strict=strict) == ({"a": 2}, ('duplicate field "a"',) if strict else ())
    with pytest.raises(Refusal, match="array into Go value of type map"):
        merge_document(b"[]", strict=strict)
    with pytest.raises(Refusal, match="unexpected end"):
        merge_document(b"{", strict=strict)


@pytest.mark.parametrize(
    ("sent", "strict", "said"),
    [
        (b"{}", True, "object into Go value of type []handlers.jsonPatchOp"),
        (b"[7]", True, "number into Go value of type handlers.jsonPatchOp"),
        (b'[{"op":7}]', True, "number into Go struct field jsonPatchOp.op of type string"),
        (b"{}", False, "object into Go value of type jsonpatch.Patch"),
        (b"[7]", False, "number into Go value of type jsonpatch.Operation"),
    ],
)
def test_a_json_patch_is_a_list_of_operations(sent, strict, said):
    with pytest.raises(Refusal) as refused:
        operations(sent, strict=strict)
    assert str(refused.value) == f"json: cannot unmarshal {said}"


def test_operations_are_read_as_they_are():
    sent = b'[{"op":"add","path":"/a","value":{"b":[1]}}]'
    assert operations(sent, strict=True) == ([{"op": "add", "path": "/a", "value": {"b": [1]}}], ())
    assert operations(b"null", strict=True).value == []
    assert operations(b"[null]", strict=False).value == [None]


def test_complaints_about_operations_say_that_they_are():
    sent = b'[{"op":"add","op":"x","bogus":1,"value":{"a":1,"a":2}}]'
    complaints = ('duplicate field "[0].op"', 'unknown field "[0].bogus"', 'duplicate field "[0].value.a"')
    assert operations(sent, strict=True).complaints == tuple(f"json patch {each}" for each in complaints)
    assert operations(sent, strict=False).complaints == ()


def test_what_is_applied_is_yaml_and_an_object():
    assert apply_document(b'{"a":1}').value == {"a": 1}
    assert apply_document(b"").value == {}
    for sent, said in (
        (b"a: [", "error converting YAML to JSON: yaml: line 1: did not find expected node content"),
        (
            b"[]",
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
    ):
        with pytest.raises(Refusal) as refused:
            apply_document(sent)
        assert str(refused.value) == said
    (repeat,) = apply_document(b"a: 1\na: 2\n").complaints
    assert repeat.startswith("error converting YAML to JSON: yaml: unmarshal errors:\n  line 2")


def test_an_object_is_written_in_the_order_of_its_type():
    live = {
        "labels": {"b": "<", "a": "2"},
        "managedFields": [{"time": "t", "manager": "m"}],
        "name": "n",
        "odd": {"z": 1, "a": 2},
    }
    text = b'{"name":"n","labels":{"a":"2","b":"\\u003c"},"managedFields":[{"manager":"m","time":"t"}],"odd":{"a":2,"z":1}}'
    assert written(tree_as(live, META)) == text


@pytest.mark.parametrize(
    ("live", "patch", "text"),
    [
        (b'{"z":{"y":1,"x":2},"a":1}', b'{"b":1}', b'{"a":1,"b":1,"z":{"y":1,"x":2}}'),
        (b'{"z":{"y":1,"x":2}}', b'{"z":{"w":null,"v":{"u":null,"t":1}}}', b'{"z":{"v":{"t":1},"x":2,"y":1}}'),
        (b'{"a":1}', b'{"a":[{"c":1,"b":null}]}', b'{"a":[{"c":1}]}'),
        (b'{"a":{"b":1}}', b'{"a":{"b":null},"c":null}', b'{"a":{}}'),
        (b'{"a":{"b":1}}', b'{"a":[{"z":null,"y":1}]}', b'{"a":[{"z":null,"y":1}]}'),
        (b'{"a":null}', b'{"a":{"c":1,"b":2}}', b'{"a":{"b":2,"c":1}}'),
    ],
)
def test_what_a_merge_patch_touches_comes_out_sorted(live, patch, text):
    shown = written(merged(parsed(live), parsed(patch)))
    assert shown == text
    assert decode(shown) == merge_patch(decode(live), decode(patch))
    assert written(merged(b"7", parsed(b'{"b":1,"a":null}'))) == b'{"b":1}'


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ("", b'{"a":1,"z":{"y":[{"x":1,"w":2}],"b/c":{"e":1,"d":2}}}'),
        ("/z", b'{"a":1,"z":{"b/c":{"e":1,"d":2},"y":[{"x":1,"w":2}]}}'),
        ("/z/b~1c", b'{"a":1,"z":{"b/c":{"d":2,"e":1},"y":[{"x":1,"w":2}]}}'),
        ("/z/y/0", b'{"a":1,"z":{"b/c":{"e":1,"d":2},"y":[{"w":2,"x":1}]}}'),
        ("/none/y", b'{"a":1,"z":{"y":[{"x":1,"w":2}],"b/c":{"e":1,"d":2}}}'),
        ("/a/b", b'{"a":1,"z":{"y":[{"x":1,"w":2}],"b/c":{"e":1,"d":2}}}'),
    ],
)
def test_what_a_json_patch_leads_through_comes_out_sorted(pointer, text):
    tree = parsed(b'{"z":{"y":[{"x":1,"w":2}],"b/c":{"e":1,"d":2}},"a":1}')
    sorted_along(tree, pointer)
    assert written(tree) == text


def test_what_was_sent_stays_as_it_was_sent():
    sent = {"z": {"y": 1, "x": 2}, "a": [{"c": 1, "b": 2}]}
    assert written(tree_as({"labels": sent, "annotations": {"z": 1, "a": 2}}, META, sent={id(sent)})) == (
        b'{"labels":{"z":{"y":1,"x":2},"a":[{"c":1,"b":2}]},"annotations":{"a":2,"z":1}}'
    )
