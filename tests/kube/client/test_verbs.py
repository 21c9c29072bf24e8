"""What each verb puts on the wire."""

import pytest

from plumbline.base.errors import GarbledReply, InvalidInput
from plumbline.base.json import decode
from plumbline.kube.client import Request, Response, Selection, Target, Writing
from plumbline.kube.names import GroupVersionResource

PODS = GroupVersionResource("", "v1", "pods")
POD = Target(PODS, "a", "web")
PATH = "/api/v1/namespaces/a/pods"
APPLIED = "fieldManager=us&force=true&fieldValidation=Ignore"
BODY = b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}'
US = Writing(field_manager="us", force=True)


def sent(scripted):
    (request,) = scripted.requests
    return request.method, request.path, request.query, dict(request.headers).get("Content-Type"), request.body


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda c: c.get(POD), ("GET", f"{PATH}/web", "", None, b"")),
        (lambda c: c.get(POD, resource_version="0"), ("GET", f"{PATH}/web", "resourceVersion=0", None, b"")),
        (
            lambda c: c.create(Target(PODS, "a"), BODY, Writing(field_manager="us", validation="Strict")),
            ("POST", PATH, "fieldManager=us&fieldValidation=Strict", "application/json", BODY),
        ),
        (
            lambda c: c.create(POD._replace(subresource="eviction"), BODY),
            ("POST", f"{PATH}/web/eviction", "", "application/json", BODY),
        ),
        (lambda c: c.update(POD, BODY, US), ("PUT", f"{PATH}/web", "fieldManager=us", "application/json", BODY)),
        (
            lambda c: c.update(POD._replace(subresource="status"), BODY, Writing(dry_run=True)),
            ("PUT", f"{PATH}/web/status", "dryRun=All", "application/json", BODY),
        ),
        (
            lambda c: c.apply(POD, BODY, US),
            ("PATCH", f"{PATH}/web", APPLIED, "application/apply-patch+yaml", BODY),
        ),
        (
            lambda c: c.patch(POD, BODY, "apply", US),
            ("PATCH", f"{PATH}/web", APPLIED, "application/apply-patch+yaml", BODY),
        ),
        (
            lambda c: c.patch(POD, BODY, "merge", US),
            ("PATCH", f"{PATH}/web", "fieldManager=us", "application/merge-patch+json", BODY),
        ),
        (lambda c: c.patch(POD, BODY, "json"), ("PATCH", f"{PATH}/web", "", "application/json-patch+json", BODY)),
        (
            lambda c: c.patch(POD, BODY, "strategic"),
            ("PATCH", f"{PATH}/web", "", "application/strategic-merge-patch+json", BODY),
        ),
    ],
)
async def test_a_verb_becomes_one_request(client, scripted, call, expected):
    scripted.says(BODY)
    assert await call(client) == BODY
    assert sent(scripted) == expected


@pytest.mark.parametrize(
    ("options", "body"),
    [
        ({}, {"propagationPolicy": "Background"}),
        ({"propagation": ""}, {}),
        (
            {"propagation": "Foreground", "grace_period_s": 0},
            {"propagationPolicy": "Foreground", "gracePeriodSeconds": 0},
        ),
        (
            {"uid": "u", "resource_version": "5"},
            {"propagationPolicy": "Background", "preconditions": {"uid": "u", "resourceVersion": "5"}},
        ),
    ],
)
async def test_a_delete_says_what_it_means(client, scripted, options, body):
    scripted.says({"kind": "Status", "status": "Success"})
    await client.delete(POD, **options)
    method, path, query, kind, sent_body = sent(scripted)
    assert (method, path, query, kind) == ("DELETE", f"{PATH}/web", "", "application/json")
    assert decode(sent_body) == {"kind": "DeleteOptions", "apiVersion": "v1"} | body


async def test_a_dry_delete_says_so_where_the_server_looks(client, scripted):
    """With a body the query is ignored: a dry run that stood there would delete."""
    scripted.says()
    await client.delete(POD, dry_run=True)
    (request,) = scripted.requests
    assert request.query == ""
    assert decode(request.body)["dryRun"] == ["All"]


async def test_a_collection_is_deleted_by_selection(client, scripted):
    scripted.says({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [{"metadata": {"name": "web"}}]})
    got = await client.delete_collection(Target(PODS, "a"), Selection(labels="app=web"), dry_run=True)
    assert got.items == [BODY]
    method, path, query, _, body = sent(scripted)
    assert (method, path, query) == ("DELETE", PATH, "labelSelector=app%3Dweb")
    assert (decode(body)["propagationPolicy"], decode(body)["dryRun"]) == ("Background", ["All"])


async def test_metadata_alone_can_be_read(client, scripted):
    scripted.says(BODY)
    await client.get(POD, metadata_only=True)
    assert (
        dict(scripted.requests[0].headers)["Accept"] == "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    )


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"half":'])
async def test_an_answer_that_is_no_object_is_garbled(client, scripted, body):
    scripted.says(body)
    with pytest.raises(GarbledReply):
        await client.get(POD)


async def test_logs_come_in_pieces(client, scripted):
    scripted.streams_out(b"one\ntw", b"o\n")
    got = [piece async for piece in client.logs(POD, {"container": "c", "tailLines": "5"})]
    assert b"".join(got) == b"one\ntwo\n"
    assert scripted.streams[0].closed
    assert sent(scripted)[1:3] == (f"{PATH}/web/log", "container=c&tailLines=5")


async def test_logs_that_a_server_in_this_process_has_at_hand_come_in_one_piece(client, scripted):
    scripted.says(b"one\ntwo\n").says(b"")
    assert [piece async for piece in client.logs(POD)] == [b"one\ntwo\n"]
    assert [piece async for piece in client.logs(POD)] == []


async def test_anything_else_can_be_sent(client, scripted):
    scripted.says(b"ok")
    assert (await client.send(Request("GET", "/readyz"))).body == b"ok"


async def test_somebody_else_can_be_asked_for(client, scripted):
    scripted.says(BODY).says(BODY)
    other = client.impersonating("jane", groups=("a", "b"), uid="7", extra={"Scopes/X y": ("1", "2")})
    await other.get(POD)
    await client.get(POD)
    assert [pair for pair in scripted.requests[0].headers if pair[0].startswith("Impersonate")] == [
        ("Impersonate-User", "jane"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Extra-scopes%2Fx%20y", "1"),
        ("Impersonate-Extra-scopes%2Fx%20y", "2"),
    ]
    assert len(scripted.requests[1].headers) == 1, "the client itself stays who it was"


@pytest.mark.parametrize(("user", "groups"), [("", ("a",)), ("jane\r\nX: y", ()), ("jane", ("a\nb",))])
def test_nobody_and_smuggled_headers_cannot_be_impersonated(client, user, groups):
    with pytest.raises(InvalidInput):
        client.impersonating(user, groups=groups)


async def test_a_deadline_can_be_set_for_every_call(client, scripted):
    scripted.says(BODY).says(BODY)
    await client.within(2.5).impersonating("jane").get(POD)
    await client.get(POD)
    assert [request.deadline_s for request in scripted.requests] == [2.5, 30.0]


def test_requests_and_responses_print_no_secrets():
    request = Request("GET", "/x", headers=(("Authorization", "hunter2"),), body=b"hunter2")
    assert "hunter2" not in repr((request, Response(200, {"set-cookie": "hunter2"}, b"hunter2")))
