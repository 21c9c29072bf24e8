from urllib.parse import parse_qs

import pytest

from plumbline.base.errors import Expired
from plumbline.base.json import decode
from plumbline.kube.client import Selection, Target
from plumbline.kube.names import GroupVersionResource

CONFIGMAPS = Target(GroupVersionResource("", "v1", "configmaps"), "a")


def a_page(*names, token="", version="10"):
    metadata = {"resourceVersion": version} | ({"continue": token, "remainingItemCount": 9} if token else {})
    items = [{"metadata": {"name": name}} for name in names]
    return {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": metadata, "items": items}


def expired(token=""):
    metadata = {"continue": token} if token else {}
    return {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old", "metadata": metadata}


def names(page):
    return [decode(raw)["metadata"]["name"] for raw in page.items]


def asked(scripted):
    return [{key: value[0] for key, value in parse_qs(request.query).items()} for request in scripted.requests]


async def test_a_list_is_read_page_by_page_as_one(client, scripted):
    scripted.says(a_page("a", "b", token="t1")).says(a_page("c", token="t2")).says(a_page("d"))
    got = await client.list(CONFIGMAPS)
    assert names(got) == ["a", "b", "c", "d"]
    assert got.resource_version == "10"
    assert asked(scripted) == [{"limit": "500"}, {"limit": "500", "continue": "t1"}, {"limit": "500", "continue": "t2"}]
    assert {request.path for request in scripted.requests} == {"/api/v1/namespaces/a/configmaps"}


async def test_a_list_whose_snapshot_was_forgotten_is_read_again_in_one_go(client, scripted):
    """Pages of two snapshots would be a state that never was."""
    scripted.says(a_page("a", token="t1")).says(expired("newer"), 410).says(a_page("a", "b", version="20"))
    got = await client.list(CONFIGMAPS)
    assert names(got) == ["a", "b"]
    assert (got.resource_version, got.consistent) == ("20", True)
    assert asked(scripted)[-1] == {}


async def test_pages_go_on_with_newer_objects_and_say_so(client, scripted):
    scripted.says(a_page("a", token="t1")).says(expired("newer"), 410).says(a_page("b", token="t3")).says(a_page("c"))
    got = [page async for page in client.pages(CONFIGMAPS)]
    assert [names(page) for page in got] == [["a"], ["b"], ["c"]]
    assert [page.consistent for page in got] == [True, False, False]
    assert [query.get("continue") for query in asked(scripted)] == [None, "t1", "newer", "t3"]


async def test_pages_that_cannot_go_on_fail(client, scripted):
    scripted.says(a_page("a", token="t1")).says(expired(), 410)
    with pytest.raises(Expired):
        _ = [page async for page in client.pages(CONFIGMAPS)]


async def test_a_version_that_is_gone_from_the_start_is_the_callers_problem(client, scripted):
    scripted.says(expired("x"), 410).says(expired("x"), 410)
    with pytest.raises(Expired):
        await client.list(CONFIGMAPS, Selection(resource_version="5", exact=True))
    with pytest.raises(Expired):
        _ = [page async for page in client.pages(CONFIGMAPS)]


@pytest.mark.parametrize(
    ("selection", "query"),
    [
        (Selection(limit=0), {}),
        (
            Selection(labels="a=b", fields="metadata.name=x", limit=0),
            {"labelSelector": "a=b", "fieldSelector": "metadata.name=x"},
        ),
        (Selection(resource_version="0", limit=0), {"resourceVersion": "0"}),
        (Selection(resource_version="5", limit=0), {"resourceVersion": "5", "resourceVersionMatch": "NotOlderThan"}),
        (
            Selection(resource_version="5", exact=True, limit=2),
            {"resourceVersion": "5", "resourceVersionMatch": "Exact", "limit": "2"},
        ),
    ],
)
async def test_a_selection_becomes_a_query(client, scripted, selection, query):
    scripted.says(a_page())
    await client.list(CONFIGMAPS, selection)
    assert asked(scripted) == [query]


async def test_following_pages_carry_no_version(client, scripted):
    """The server refuses both together: the token has one."""
    scripted.says(a_page("a", token="t1")).says(a_page("b"))
    await client.list(CONFIGMAPS, Selection(resource_version="5"))
    assert asked(scripted)[1] == {"limit": "500", "continue": "t1"}


async def test_metadata_alone_is_asked_for_by_accept(client, scripted):
    scripted.says(a_page())
    await client.list(CONFIGMAPS, Selection(metadata_only=True))
    assert ("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1") in scripted.requests[
        0
    ].headers


async def test_a_table_is_what_the_server_would_print(client, scripted):
    scripted.says({"kind": "Table"})
    assert await client.table(CONFIGMAPS, Selection(limit=5), include="Metadata") == b'{"kind":"Table"}'
    assert asked(scripted) == [{"limit": "5", "includeObject": "Metadata"}]
    assert "as=Table" in dict(scripted.requests[0].headers)["Accept"]


async def test_the_name_of_a_target_does_not_narrow_its_collection(client, scripted):
    scripted.says(a_page())
    await client.list(CONFIGMAPS._replace(name="x"))
    assert scripted.requests[0].path == "/api/v1/namespaces/a/configmaps"
