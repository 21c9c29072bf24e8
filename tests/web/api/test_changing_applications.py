"""Applications made, changed and deleted for people, with their names on record."""

import asyncio

import pytest
from tests.web.api.yard import REPO, application

from plumbline.base.json import encode
from plumbline.kinds.mandate import MandateSpec
from plumbline.web.api.applications import checking

ALL = "/api/v1/applications"
ONE = f"{ALL}/web"
FINALIZER = "resources-finalizer.argocd.argoproj.io"


async def test_one_is_created_for_a_person_and_found_at_once(place):
    made = await place.ask("POST", ALL, application(metadata={"labels": {"team": "a"}}))
    assert made.status == 200
    assert made.json["status"]["sync"]["status"] == ""
    assert await place.written() == [("person:ada", "create", "web")]
    listed = await place.ask("GET", ALL)
    assert [each["metadata"]["name"] for each in listed.json["items"]] == ["web"]
    again = await place.ask("POST", ALL, application(metadata={"labels": {"team": "a"}}))
    assert (again.status, again.json["metadata"]["uid"]) == (200, made.json["metadata"]["uid"])


async def test_another_of_the_same_name_needs_upsert_and_the_right_to_update(place):
    await place.ask("POST", ALL, application(metadata={"labels": {"team": "a"}}))
    other = application(spec={"source": {"repoURL": REPO, "path": "other"}}, metadata={"labels": {"tier": "1"}})
    refused = await place.ask("POST", ALL, other)
    assert (refused.status, refused.json["code"]) == (400, 3)
    assert "upsert" in refused.json["message"]
    place.allow("p, eve, applications, create, shop/*, allow\n")
    assert (await place.ask("POST", f"{ALL}?upsert=true", other, who="eve")).status == 403
    brought = await place.ask("POST", f"{ALL}?upsert=true", other)
    assert brought.json["spec"]["source"]["path"] == "other"
    assert brought.json["metadata"]["labels"] == {"team": "a", "tier": "1"}


async def test_whoever_creates_cannot_smuggle_in_an_operation_or_a_status(place):
    """Attack 24: manifests in the operation would pass by everybody who reviews."""
    smuggled = application(operation={"sync": {"manifests": ["{}"]}}, status={"sync": {"status": "Synced"}})
    made = await place.ask("POST", ALL, smuggled)
    assert "operation" not in made.json
    live = await place.app()
    assert "operation" not in live
    assert "status" not in live


INVALID = [
    ({"metadata": {}, "spec": {}}, 400, "a name"),
    ({"metadata": {"name": "web"}}, 400, "a spec"),
    ([1], 400, "an object"),
    (application(project="none"), 400, "a project that there is"),
    (application(spec={"destination": {"server": "https://nowhere", "namespace": "x"}}), 400, "a cluster that there is"),
    (application(spec={"source": {"repoURL": REPO}}), 400, "a path"),
    (application(spec={"source": {"repoURL": 5}}), 400, "its types"),
    (application(spec={"sources": [{"repoURL": REPO, "path": "a", "name": "x"}, {"repoURL": REPO, "path": "b", "name": "x"}]}), 400, "names of its own"),
    (application(metadata={"namespace": "team"}), 400, "a namespace that is looked at"),
    (application(metadata={"annotations": {"argocd.argoproj.io/managed-by-url": "javascript:x"}}), 400, "a page of who manages it"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "status", "why"), INVALID, ids=[why for _, _, why in INVALID])
async def test_an_application_needs(place, body, status, why):
    told = await place.ask("POST", ALL, body)
    assert (told.status, told.json["code"]) == (status, 3), why
    assert await place.written() == []


async def test_one_of_which_nothing_comes_is_not_made_unless_that_is_wanted(place):
    place.hopeless = "repository not accessible: nobody answers"
    refused = await place.ask("POST", ALL, application())
    assert (refused.status, refused.json["code"]) == (400, 3)
    assert "application spec for web is invalid: InvalidSpecError: repository not accessible" in refused.json["message"]
    assert await place.written() == []
    assert (await place.ask("POST", f"{ALL}?validate=false", application())).status == 200
    assert place.tried == ["web"]


async def test_nothing_is_tried_for_those_who_may_not_create(place):
    assert (await place.ask("POST", ALL, application(), who="dev")).status == 403
    assert place.tried == []


async def test_a_change_is_tried_where_something_else_is_rendered_then(place):
    await place.deploy("web")
    place.hopeless = "Unable to generate manifests in gone: app path does not exist"
    same = application(metadata={"labels": {"b": "2"}}, spec={"revisionHistoryLimit": 3})
    assert (await place.ask("PUT", ONE, same)).status == 200
    assert place.tried == []
    other = application(spec={"source": {"repoURL": REPO, "path": "gone"}})
    for method, url, body in (
        ("PUT", ONE, other),
        ("PUT", f"{ONE}/spec", other["spec"]),
        ("PATCH", ONE, {"patch": '{"spec": {"source": {"path": "gone"}}}', "patchType": "merge"}),
    ):
        assert (await place.ask(method, url, body)).status == 400, method
    assert (await place.ask("PUT", f"{ONE}/spec?validate=false", other["spec"])).status == 200
    assert place.tried == ["web"] * 3


async def test_nobody_waits_for_long_until_it_is_known_what_comes_of_it(place, monkeypatch):
    async def hanging(app):
        await asyncio.Event().wait()

    monkeypatch.setattr(checking, "_PATIENCE_S", 0.01)
    checker = checking.Checker(place.desk, place.api.finder, hanging)
    await checker.try_out(application())


@pytest.mark.parametrize("text", [b"{", b"[" * 100_000, b'{"metadata": ' * 2000, b"\xff", b'{"a": 1, "a": 2}'])
async def test_what_is_no_json_is_refused_and_costs_nothing(place, text):
    assert (await place.ask("POST", ALL, raw=text)).status == 400


async def test_a_form_of_another_page_is_no_request(place):
    """Attack 18."""
    for sent_as in ("text/plain", "application/x-www-form-urlencoded", ""):
        told = await place.ask("POST", ALL, raw=encode(application()), content_type=sent_as or "x")
        assert told.status == 415


async def test_a_name_that_is_taken_in_another_project_gives_nothing_away(place):
    await place.deploy("web", project="bank")
    place.allow("p, eve, applications, *, shop/*, allow\n")
    told = await place.ask("POST", f"{ALL}?upsert=true", application(), who="eve")
    assert (told.status, told.json["message"]) == (403, "permission denied")
    moved = await place.ask("PUT", ONE, application(), who="eve")
    assert (moved.status, moved.json["message"]) == (403, "permission denied")


async def test_moving_to_another_project_takes_rights_in_both(place):
    await place.deploy("web")
    place.allow("p, eve, applications, *, shop/*, allow\np, eve, applications, update, bank/*, allow\n")
    assert (await place.ask("PUT", ONE, application(project="bank"), who="eve")).status == 403
    place.allow("p, eve, applications, *, shop/*, allow\np, eve, applications, *, bank/*, allow\n")
    moved = await place.ask("PUT", ONE, application(project="bank"), who="eve")
    assert (moved.status, moved.json["spec"]["project"]) == (200, "bank")


async def test_replacing_keeps_what_others_write(place):
    await place.deploy("web", metadata={"labels": {"a": "1"}, "finalizers": [FINALIZER]})
    await place.patch("web", {"status": {"sync": {"status": "Synced"}}, "operation": {"sync": {}}})
    told = await place.ask("PUT", ONE, application(metadata={"labels": {"b": "2"}}, spec={"revisionHistoryLimit": 3}))
    live = await place.app()
    assert told.status == 200
    assert live["metadata"]["labels"] == {"b": "2"}
    assert live["status"]["sync"]["status"] == "Synced"
    assert live["operation"] == {"sync": {}}
    assert live["spec"]["revisionHistoryLimit"] == 3
    assert "finalizers" not in live["metadata"]


async def test_a_spec_alone_is_replaced_and_given_back(place):
    await place.deploy("web", metadata={"labels": {"a": "1"}})
    spec = application()["spec"] | {"revisionHistoryLimit": 3}
    told = await place.ask("PUT", f"{ONE}/spec?validate=false", spec)
    assert told.json["revisionHistoryLimit"] == 3
    assert (await place.app())["metadata"]["labels"] == {"a": "1"}
    assert (await place.ask("PUT", f"{ONE}/spec?validate=perhaps", spec)).status == 400


@pytest.mark.parametrize(
    ("patch", "kind", "status"),
    [
        ('[{"op":"replace","path":"/spec/source/path","value":"b"}]', "", 200),
        ('{"spec":{"source":{"path":"b"}}}', "merge", 200),
        ('{"spec":{"source":{"path":"b"}}}', "strategic", 400),
        ('{"metadata":{"name":"other"}}', "merge", 400),
        ("[", "json", 400),
        ('[{"op":"remove","path":"/spec/nothing"}]', "json", 400),
        ("3", "merge", 400),
    ],
)
async def test_patches_are_applied_as_they_are_meant(place, patch, kind, status):
    await place.deploy("web")
    told = await place.ask("PATCH", ONE, {"patch": patch, "patchType": kind})
    assert told.status == status
    assert ((await place.app())["spec"]["source"]["path"] == "b") is (status == 200)


async def test_a_patch_cannot_begin_an_operation(place):
    await place.deploy("web")
    await place.ask("PATCH", ONE, {"patch": '{"operation":{"sync":{}}}', "patchType": "merge"})
    assert "operation" not in await place.app()


async def test_deleting_says_what_becomes_of_what_it_delivers(place):
    await place.deploy("web")
    told = await place.ask("DELETE", f"{ONE}?propagationPolicy=background")
    live = await place.app()
    assert (told.status, told.json) == (200, {})
    assert live["metadata"]["finalizers"] == [f"{FINALIZER}/background"]
    assert live["metadata"]["deletionTimestamp"]
    assert ("person:ada", "delete", "web") in await place.written()


@pytest.mark.parametrize(
    ("query", "status"),
    [("cascade=false", 200), ("cascade=false&propagationPolicy=background", 400), ("propagationPolicy=sideways", 400)],
)
async def test_deleting_without_cascade_leaves_everything(place, query, status):
    await place.deploy("web", metadata={"finalizers": [FINALIZER]})
    assert (await place.ask("DELETE", f"{ONE}?{query}")).status == status
    if status == 200:
        assert (await place.ask("GET", ONE)).status == 403


async def test_reading_does_not_make_deleting(place):
    await place.deploy("web")
    told = await place.ask("DELETE", ONE, who="dev")
    assert told.status == 403
    assert "applications, delete, shop/web, sub: dev" in told.json["message"]


async def test_an_installation_that_observes_writes_nothing_for_anybody(place):
    place.mandate = MandateSpec()
    told = await place.ask("POST", ALL, application())
    assert (told.status, told.json["code"]) == (400, 9)
    assert "only observes" in told.json["message"]
