import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import GarbledReply
from plumbline.base.json import decode, encode
from plumbline.kube.client.bodies import head, page

names = st.text(min_size=1, max_size=8)
objects = st.lists(
    st.fixed_dictionaries(
        {"metadata": st.fixed_dictionaries({"name": names}, optional={"labels": st.dictionaries(names, names)})},
        optional={"data": st.dictionaries(names, names), "spec": st.recursive(st.integers() | names, st.lists)},
    ),
    max_size=5,
)


def a_list(items, **metadata):
    return {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": metadata, "items": items}


@given(objects, st.booleans())
def test_splitting_a_list_loses_nothing_and_gives_every_item_its_type(items, indented):
    body = encode(a_list(items, resourceVersion="5"))
    got = page(msgspec.json.format(body) if indented else body, "a list")
    assert [decode(raw) for raw in got.items] == [{"kind": "ConfigMap", "apiVersion": "v1", **item} for item in items]


def test_items_that_say_what_they_are_stay_as_they_are():
    typed = [
        {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a"}},
        {"kind": "Widget", "apiVersion": "example.org/v1", "metadata": {"name": "b"}},
        {"metadata": {"name": "c"}, "kind": "Gadget", "apiVersion": "example.org/v1"},
    ]
    body = {"kind": "WidgetList", "apiVersion": "example.org/v1", "metadata": {}, "items": typed[:2]}
    assert page(encode(body), "a list").items == [encode(item) for item in typed[:2]]


def test_a_spliced_item_has_the_bytes_that_a_watch_would_send():
    (raw,) = page(encode(a_list([{"metadata": {"name": "a"}}])), "a list").items
    assert raw == b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}'


@pytest.mark.parametrize(
    "item", [b"{}", b"{ }", b'{"status":{}}', b'{ "spec":{}}', b'{"data":{"a":"b"},"kind":"X","apiVersion":"y"}']
)
def test_items_in_unusual_forms_become_typed_too(item):
    body = b'{"kind":"ThingList","apiVersion":"v9","metadata":{},"items":[' + item + b"]}"
    (raw,) = page(body, "a list").items
    assert decode(raw) == {"kind": "Thing", "apiVersion": "v9"} | decode(item)


def test_a_page_says_where_to_go_on():
    got = page(encode(a_list([], resourceVersion="7", **{"continue": "abc", "remainingItemCount": 3})), "a list")
    assert (got.resource_version, got.continue_token, got.remaining, got.consistent) == ("7", "abc", 3, True)


def test_a_list_whose_items_are_null_is_empty():
    assert page(encode(a_list(None)), "a list").items == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"<html>Bad gateway</html>",
        b'{"kind":"ConfigMapList"',
        b'{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[{]}',
        b'{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":{}}',
        b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}',
        b"[]",
        b"null",
        b'{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[1]}',
        b'{"a":' * 100_000,
    ],
)
def test_what_is_no_list_is_garbled(body):
    with pytest.raises(GarbledReply):
        page(body, "GET /x")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"plain text", b'{"metadata":[]}', b'{"a":1}x', b'{"x":' * 100_000])
def test_what_is_no_object_is_garbled(body):
    with pytest.raises(GarbledReply):
        head(body, "GET /x")


def test_an_error_quotes_a_web_page_but_never_an_object():
    with pytest.raises(GarbledReply) as page_error:
        head(b"<html>\x1b[31mlogin here</html>", "GET /x")
    assert "login here" in page_error.value.why
    assert "\x1b" not in page_error.value.why
    with pytest.raises(GarbledReply) as object_error:
        head(b'{"data":{"password":"hunter2"}', "GET /x")
    assert "hunter2" not in str(object_error.value)
