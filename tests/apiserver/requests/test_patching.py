"""Patches, from their bodies to objects or refusals."""

import pytest
from tests.apiserver.scripts.samples import APPLY, JSON_PATCH, MERGE, STRATEGIC, cm

from plumbline.apiserver.calls import Call
from plumbline.apiserver.models.builtin import BuiltinModel
from plumbline.apiserver.requests.options import WriteOptions
from plumbline.apiserver.requests.patching import Target, apply_change, patch_change, patch_type, patched
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.base.errors import RequestRefused
from plumbline.base.json import encode
from plumbline.kube.apply import Writer

from .test_bodies import refusal, thing
from .test_negotiation import CUSTOM

CONFIG_MAPS = next(BuiltinModel(each) for each in builtin_resources() if each.plural == "configmaps")
TARGET = Target.of(CONFIG_MAPS)
LIVE = cm()
REJECTED = (422, "the server rejected our request due to an error in our request")
DEEP = b"[" * 300 + b"]" * 300
WRITER = Writer("m", "v1", "2024-01-01T00:00:00Z")


def call(body, media: str) -> Call:
    return Call("PATCH", "/", "", {"content-type": media}, body if isinstance(body, bytes) else encode(body))


def after(body, media, strictness="Warn", live=LIVE, target=TARGET):
    return patched(call(body, media), live, media, target, strictness)


def options(strictness: str = "Warn") -> WriteOptions:
    return WriteOptions("m", dry_run=False, strictness=strictness, force=None, given={})


@pytest.mark.parametrize(
    ("said", "strategic", "found"),
    [
        (MERGE, True, MERGE), (f"{MERGE}; charset=utf-8", True, MERGE), (STRATEGIC, True, STRATEGIC), (APPLY, False, APPLY), (JSON_PATCH, False, JSON_PATCH),
    ],
)  # fmt: skip
def test_the_header_says_which_patch_it_is(said, strategic, found):
    assert patch_type(call(b"", said), strategic=strategic) == found


@pytest.mark.parametrize("said", ["", "application/json", MERGE.upper(), "application/apply-patch+cbor"])
def test_other_patches_are_refused_by_the_router(said):
    assert refusal(lambda: patch_type(call(b"", said), strategic=True)) == (415, "415: Unsupported Media Type")


def test_what_the_router_lets_through_may_still_be_none():
    code, words = refusal(lambda: patch_type(call(b"", f"{MERGE}, {JSON_PATCH}"), strategic=True))
    assert (code, words.endswith(f"include: {JSON_PATCH}, {MERGE}, {STRATEGIC}, {APPLY}")) == (415, True)
    code, words = refusal(lambda: patch_type(call(b"", STRATEGIC), strategic=False))
    assert (code, words.endswith(f"include: {JSON_PATCH}, {MERGE}, {APPLY}")) == (415, True)


@pytest.mark.parametrize(
    ("body", "media"),
    [
        ({"data": {"x": "y"}}, MERGE), ({"data": {"x": "y"}}, STRATEGIC), ([{"op": "add", "path": "/data/x", "value": "y"}], JSON_PATCH), (b'{"data" :{"x":"y"}}', MERGE), (b'{"data":{"x":"z","x":"y"}}', STRATEGIC),
    ],
)  # fmt: skip
@pytest.mark.parametrize("strictness", ["Warn", "Ignore"])
def test_a_patch_changes_what_it_names(body, media, strictness):
    assert after(body, media, strictness)["data"] == {"k": "v", "x": "y"}


@pytest.mark.parametrize(
    ("body", "media", "strictness", "refused"),
    [
        (b"{", MERGE, "Warn", (400, "error decoding patch: unexpected end of JSON input")),
        (b"{", MERGE, "Ignore", (400, "Invalid JSON Patch")),
        (b"7", MERGE, "Ignore", (400, "Invalid JSON Patch")),
        (b"null", MERGE, "Warn", (400, "Invalid JSON Patch")),
        (b"[]", MERGE, "Warn", (400, "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}")),
        (b"{", STRATEGIC, "Warn", (400, "unexpected end of JSON input")),
        (b"{", JSON_PATCH, "Warn", (400, "error decoding patch: unexpected end of JSON input")),
        (b"{}", JSON_PATCH, "Ignore", (400, "json: cannot unmarshal object into Go value of type jsonpatch.Patch")),
        ([{"op": "remove", "path": "/none"}], JSON_PATCH, "Warn", REJECTED),
        ([None], JSON_PATCH, "Ignore", REJECTED),
        ([{"op": "test", "path": ""}] * 10_001, JSON_PATCH, "Warn", (413, "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001")),
        ({"data": {"$patch": "odd"}}, STRATEGIC, "Warn", (500, "unknown patch type: odd in map: map[$patch:odd]")),
        ({"metadata": {"$deleteFromPrimitiveList": ["x"]}}, STRATEGIC, "Warn", (400, "invalid patch format of primitive list")),
        (DEEP, MERGE, "Ignore", (413, "The request body is not read: it is deeper than 200 levels")),
    ],
)  # fmt: skip
def test_what_is_no_patch_is_refused(body, media, strictness, refused):
    assert refusal(lambda: after(body, media, strictness)) == refused


def test_items_of_another_sort_are_not_merged():
    live = cm(metadata={"name": "a", "finalizers": ["x"]})
    words = "list element types are not identical: [[x] [[y]]]"
    assert refusal(lambda: after({"metadata": {"finalizers": [["y"]]}}, STRATEGIC, live=live)) == (500, words)


SHOWN = '"{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"k\\":\\"v\\",\\"x\\":1},\\"kind\\":\\"ConfigMap\\",\\"metadata\\":{\\"name\\":\\"a\\"}}"'
FAULT = "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"


@pytest.mark.parametrize(
    ("body", "media", "shown", "fault"),
    [
        ({"data": {"x": 1}}, MERGE, SHOWN, FAULT),
        ([{"op": "add", "path": "/data/x", "value": 1}], JSON_PATCH, SHOWN, FAULT),
        ({"data": {"x": 1}}, STRATEGIC, '"map[data:map[x:1]]"', "cannot convert int64 to string"),
        (b"[ ]", MERGE, '"[]"', None),
    ],
)
def test_what_a_patch_makes_has_to_fit_its_type(body, media, shown, fault):
    code, words = refusal(lambda: after(body, media, "Ignore"))
    assert (code, words.startswith(f' "" is invalid: patch: Invalid value: {shown}: ')) == (422, True)
    assert fault is None or words.endswith(fault)


@pytest.mark.parametrize(
    ("body", "media", "complaint"),
    [
        ({"bogus": 1}, MERGE, 'unknown field "bogus"'),
        (b'{"data":{"x":"1","x":"2"}}', MERGE, 'duplicate field "data.x"'),
        ({"bogus": 1}, STRATEGIC, 'unknown field "bogus"'),
        (
            [{"op": "add", "path": "/data/x", "value": "y", "bogus": 1}],
            JSON_PATCH,
            'json patch unknown field "[0].bogus"',
        ),
    ],
)
def test_complaints_are_warned_of_or_refused(body, media, complaint):
    warned = call(body, media)
    assert "bogus" not in patched(warned, LIVE, media, TARGET, "Warn")
    assert warned.warnings == [complaint]
    code, words = refusal(lambda: after(body, media, "Strict"))
    assert (code, words.endswith(f": strict decoding error: {complaint}")) == (422, True)


def test_a_strategic_patch_says_nothing_about_kinds():
    new = after({"kind": "Secret", "apiVersion": "v9", "data": {"x": "y"}}, STRATEGIC)
    assert (new["kind"], new["apiVersion"], new["data"]) == ("ConfigMap", "v1", {"k": "v", "x": "y"})


def test_other_patches_do():
    assert refusal(lambda: after({"kind": "Pod"}, MERGE))[1].endswith(
        "converting (v1.Pod) to (core.ConfigMap): unknown conversion"
    )


@pytest.mark.parametrize("media", [MERGE, STRATEGIC])
def test_an_object_keeps_its_name(media):
    for name, words in (
        ("b", "the name of the object (b) does not match the name on the URL (a)"),
        ("", "the name of the object (a based on URL) was undeterminable: name must be provided"),
    ):
        change = patch_change(call({"metadata": {"name": name}}, media), CONFIG_MAPS, media, options(), WRITER)
        assert refusal(lambda change=change: change(LIVE)) == (400, words)


def test_documents_are_patched_with_their_schema():
    target, live = Target.of(CUSTOM), thing()
    assert after({"metadata": {"labels": {"a": "b"}}}, MERGE, live=live, target=target)["metadata"]["labels"] == {
        "a": "b"
    }
    warned = call({"spec": {"z": 1}}, MERGE)
    assert patched(warned, live, MERGE, target, "Warn") == live
    assert warned.warnings == ['unknown field "spec"']
    for body, code, words in (
        ({"kind": "Other"}, 422, 'Other.example.org "a" is invalid: kind: Invalid value: "Other": must be Thing'),
        ({"metadata": 7}, 422, ' "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"example.org/v1\\",\\"kind\\":\\"Thing\\",\\"metadata\\":7}": json: cannot unmarshal number into Go value of type v1.ObjectMeta'),
    ):  # fmt: skip
        assert refusal(lambda body=body: after(body, MERGE, live=live, target=target)) == (code, words)


def applied(body, live=None, name="a", strictness="Warn"):
    asked = call(body, APPLY)
    return apply_change(asked, CONFIG_MAPS, name, options(strictness), WRITER)(live), asked.warnings


def test_a_configuration_is_applied():
    new, warnings = applied(cm())
    assert (new["data"], new["metadata"]["managedFields"][0]["manager"], warnings) == ({"k": "v"}, "m", [])
    again, _ = applied({"apiVersion": "v1", "kind": "ConfigMap", "metadata": None}, live=new)
    assert again["metadata"]["name"] == "a"


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        (b"a: [", (400, "error decoding YAML: error converting YAML to JSON: yaml: line 1: did not find expected node content")),
        (b"[" * 300, (413, None)),
        ({}, (400, "invalid object type: /, Kind=")),
        (cm(apiVersion="v2"), (400, "invalid object type: /v2, Kind=ConfigMap")),
        (cm(apiVersion="a/b/c"), (400, "invalid object type: /, Kind=")),
        (cm(kind=7), (400, "invalid object type: /v1, Kind=")),
        (cm(metadata=7), (500, "failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata: expected map, got &{7}")),
        (cm(bogus=1), (500, "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .bogus: field not declared in schema")),
        (cm(metadata={"name": "a", "managedFields": []}), (400, "metadata.managedFields must be nil")),
        (cm("b"), (400, "the name of the object (b) does not match the name on the URL (a)")),
        (cm(metadata={}), (400, "the name of the object (a based on URL) was undeterminable: name must be provided")),
        (cm(metadata={"name": "a", "uid": "x"}), (409, 'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid x, and no existing object was found')),
    ],
)  # fmt: skip
def test_what_cannot_be_applied_is_refused(body, refused):
    code, words = refusal(lambda: applied(body))
    assert code == refused[0]
    assert words == refused[1] or refused[1] is None


def test_who_owns_a_field_is_asked_first():
    live, _ = applied(cm())
    other = live | {
        "metadata": {
            **live["metadata"],
            "managedFields": [{**live["metadata"]["managedFields"][0], "manager": "other"}],
        }
    }
    with pytest.raises(RequestRefused) as conflict:
        applied(cm(data={"k": "w"}), live=other)
    assert conflict.value.status["details"]["causes"] == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "other"', "field": ".data.k"}
    ]


def test_repeats_in_a_configuration_are_warned_of_or_refused():
    body = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: b\n  a: c\n"
    assert applied(body)[1] == ['line 6: key "a" already set in map']
    assert applied(body, strictness="Ignore")[1] == []
    code, words = refusal(lambda: applied(body, strictness="Strict"))
    assert (
        code,
        words.startswith("error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:"),
    ) == (400, True)
