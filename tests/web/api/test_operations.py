"""Syncs and rollbacks: written as `plumb app` writes them, by the rules and with the rights that Argo CD has."""

import asyncio

import pytest
from tests.web.api.yard import REPO, application, until

from plumbline.base.errors import NotFound, TimedOut
from plumbline.base.json import decode, encode
from plumbline.delivery.asking.operations import Asked, sync
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kube.client import Target
from plumbline.web.api.applications.finding import Named
from plumbline.web.api.applications.reading import Reading
from plumbline.web.requests import Request

ONE = "/api/v1/applications/web"
AUTOMATED = {"syncPolicy": {"automated": {}}}
HISTORY = [
    {"id": 1, "revision": "a" * 40, "source": {"repoURL": REPO, "path": "web"}, "deployedAt": "2026-01-01T00:00:00Z"},
    {"id": 2, "revision": "b" * 40, "source": {"repoURL": REPO, "path": "web"}, "deployedAt": "2026-01-02T00:00:00Z"},
    {"id": 3, "revision": "c" * 40, "deployedAt": "2026-01-02T00:00:00Z"},
]


async def test_a_sync_is_what_the_command_line_would_have_written(place):
    await place.deploy("web", spec={"syncPolicy": {"syncOptions": ["A=true"], "retry": {"limit": 2}}})
    app = await place.app()
    told = await place.ask("POST", f"{ONE}/sync", {}, who="dev")
    live = await place.app()
    assert told.status == 200
    assert live["operation"] == sync(app, Asked(), "dev") == told.json["operation"]
    assert live["operation"]["initiatedBy"] == {"username": "dev"}
    assert live["metadata"]["annotations"]["argocd.argoproj.io/refresh"] == "normal"
    assert await place.written() == [("person:dev", "patch", "web")]


async def test_all_that_can_be_asked_of_a_sync_is_passed_on(place):
    await place.deploy("web")
    body = {
        "revision": "v1", "prune": True, "dryRun": True, "strategy": {"apply": {"force": True}},
        "resources": [{"group": "apps", "kind": "Deployment", "name": "web"}], "infos": [{"name": "a", "value": "b"}],
        "retryStrategy": {"limit": 5, "backoff": {"duration": "1s"}}, "syncOptions": {"items": ["B=true"]},
    }  # fmt: skip
    await place.ask("POST", f"{ONE}/sync", body)
    operation = (await place.app())["operation"]
    assert operation["sync"] == {
        "source": application()["spec"]["source"], "revision": "v1", "prune": True, "dryRun": True,
        "syncOptions": ["B=true"], "resources": body["resources"], "syncStrategy": body["strategy"],
    }  # fmt: skip
    assert (operation["info"], operation["retry"]) == (body["infos"], body["retryStrategy"])
    page = await place.journal.page(limit=10)
    (done,) = [each for each in page.entries if each.kind == "performed"]
    assert {key: each for key, each in done.effect.items() if key != "project"} == {
        "revision": "v1",
        "dryRun": True,
        "prune": True,
        "syncOptions": ["B=true"],
        "resources": 1,
    }


async def test_one_of_several_sources_is_synced_to_another_revision(place):
    sources = [{"repoURL": REPO, "path": "a"}, {"repoURL": REPO, "path": "b", "targetRevision": "main"}]
    spec = application()["spec"]
    del spec["source"]
    app = application()
    app["spec"] = {**spec, "sources": sources}
    await place.ask("POST", "/api/v1/applications", app)
    assert (await place.ask("POST", f"{ONE}/sync", {"revisions": ["x"], "sourcePositions": [3]})).status == 400
    assert (await place.ask("POST", f"{ONE}/sync", {"revisions": ["x"], "sourcePositions": []})).status == 400
    assert (await place.ask("POST", f"{ONE}/sync", {"revisions": ["x"], "sourcePositions": [2]})).status == 200
    assert (await place.app())["operation"]["sync"]["revisions"] == ["", "x"]


async def test_one_operation_at_a_time(place):
    await place.deploy("web")
    answers = await asyncio.gather(*(place.ask("POST", f"{ONE}/sync", {}) for _ in range(8)))
    assert sorted(each.status for each in answers) == [200, *[400] * 7]
    refused = next(each for each in answers if each.status == 400)
    assert (refused.json["code"], "another operation is already in progress" in refused.json["message"]) == (9, True)


RIGHTS = [
    ("", {}, 403, "who may only look may not sync"),
    ("p, eve, applications, sync, shop/*, allow", {}, 200, "who may sync may"),
    ("p, eve, applications, sync, shop/*, allow", {"manifests": ["{}"]}, 403, "local manifests are an override"),
    ("p, eve, applications, sync, shop/*, allow", {"manifests": []}, 403, "and so are none of them"),
    ("p, eve, applications, *, shop/*, allow", {"manifests": ["{}"]}, 200, "who may override may"),
    ("p, eve, applications, sync, shop/*, allow", {"revision": "v1"}, 200, "another revision is a sync, unless set"),
]


@pytest.mark.parametrize(("line", "body", "status", "why"), RIGHTS, ids=[why for *_, why in RIGHTS])
async def test_rights(place, line, body, status, why):
    await place.deploy("web")
    place.allow(f"p, eve, applications, get, shop/*, allow\n{line}\n")
    assert (await place.ask("POST", f"{ONE}/sync", body, who="eve")).status == status, why


async def test_another_revision_is_an_override_where_that_is_set(place):
    await place.deploy("web")
    await place.configure("argocd-cm", **{"application.sync.requireOverridePrivilegeForRevisionSync": "true"})
    place.allow("p, eve, applications, get, shop/*, allow\np, eve, applications, sync, shop/*, allow\n")
    assert (await place.ask("POST", f"{ONE}/sync", {"revision": "v1"}, who="eve")).status == 403
    assert (await place.ask("POST", f"{ONE}/sync", {"revision": "main"}, who="eve")).status == 200


@pytest.mark.parametrize("body", [{"revision": "v1"}, {"manifests": ["{}"]}])
async def test_an_automated_application_is_not_synced_to_what_is_not_in_its_spec(place, body):
    await place.deploy("web", spec=AUTOMATED)
    told = await place.ask("POST", f"{ONE}/sync", body)
    assert (told.status, told.json["code"]) == (400, 9)
    assert (await place.ask("POST", f"{ONE}/sync", {**body, "dryRun": True})).status == 200


async def test_a_closed_window_lets_nobody_sync(place):
    window = {"kind": "deny", "schedule": "* * * * *", "duration": "1h", "applications": ["*"]}
    await _windows(place, window)
    await place.deploy("web")
    told = await place.ask("POST", f"{ONE}/sync", {})
    assert (told.status, told.json["code"]) == (403, 7)
    assert "blocked by sync window" in told.json["message"]
    windows = (await place.ask("GET", f"{ONE}/syncwindows")).json
    shape = {"kind": "deny", "schedule": "* * * * *", "duration": "1h", "manualSync": False}
    assert windows == {"activeWindows": [shape], "assignedWindows": [shape], "canSync": False}
    await _windows(place, {**window, "schedule": "nonsense"})
    assert "invalid sync window" in (await place.ask("POST", f"{ONE}/sync", {})).json["message"]


async def _windows(place, *windows):
    project = await place.get(APP_PROJECT.resource, "shop")
    project["spec"]["syncWindows"] = list(windows)
    told = await place.client.update(Target(APP_PROJECT.resource, "argocd", "shop"), encode(project))
    wanted = decode(told)["metadata"]["resourceVersion"]
    for _ in range(400):
        known = place.desk.installation.project_objects["shop"]["metadata"]["resourceVersion"]
        if known == wanted:
            return
        await asyncio.sleep(0.005)


async def test_windows_without_any_say_that_it_may_be_synced(place):
    await place.deploy("web")
    assert (await place.ask("GET", f"{ONE}/syncwindows")).json == {"canSync": True}


async def test_an_application_that_is_going_is_not_synced(place):
    await place.deploy("web", metadata={"finalizers": ["resources-finalizer.argocd.argoproj.io"]})
    await place.ask("DELETE", ONE)
    for path, body in ((f"{ONE}/sync", {}), (f"{ONE}/rollback", {"id": 1})):
        told = await place.ask("POST", path, body)
        assert (told.status, told.json["code"]) == (400, 9)


async def test_going_back_is_a_sync_of_then(place):
    await place.deploy("web")
    await place.patch("web", {"status": {"history": HISTORY}})
    told = await place.ask("POST", f"{ONE}/rollback", {"id": 1, "prune": True}, who="dev")
    operation = (await place.app())["operation"]
    assert told.status == 200
    assert operation["sync"] == {
        "revision": "a" * 40, "prune": True, "syncStrategy": {"apply": {}}, "source": {"repoURL": REPO, "path": "web"},
    }  # fmt: skip
    assert operation["initiatedBy"] == {"username": "dev"}


@pytest.mark.parametrize("number", [7, 3])
async def test_there_is_no_going_back_to_what_is_not_in_the_history(place, number):
    await place.deploy("web")
    await place.patch("web", {"status": {"history": HISTORY}})
    assert (await place.ask("POST", f"{ONE}/rollback", {"id": number})).status == 400


async def test_an_automated_application_is_held_where_it_goes(place):
    """Argo CD refuses this; here it is a pin that ends by itself."""
    await place.deploy("web", spec=AUTOMATED)
    await place.patch("web", {"status": {"history": HISTORY}})
    dry = await place.ask("POST", f"{ONE}/rollback", {"id": 1, "dryRun": True})
    assert "plumbline.dev/rollback-pin" not in (dry.json["metadata"].get("annotations") or {})
    await place.patch("web", {"operation": None})
    told = await place.ask("POST", f"{ONE}/rollback", {"id": 1})
    pin = decode(told.json["metadata"]["annotations"]["plumbline.dev/rollback-pin"])
    assert (pin["revisions"], pin["id"]) == (["a" * 40], 1)


async def test_going_back_may_be_a_right_of_its_own(place):
    await place.deploy("web")
    await place.patch("web", {"status": {"history": HISTORY}})
    await place.configure("argocd-cm", **{"server.rbac.rollback.enforce.enable": "true"})
    assert (await place.ask("POST", f"{ONE}/rollback", {"id": 1}, who="dev")).status == 403
    place.allow("p, dev, applications, rollback, shop/*, allow\n")
    assert (await place.ask("POST", f"{ONE}/rollback", {"id": 1}, who="dev")).status == 200


async def test_an_operation_can_be_ended_while_there_is_one(place):
    await place.deploy("web")
    told = await place.ask("DELETE", f"{ONE}/operation")
    assert (told.status, told.json["code"]) == (400, 3)
    await place.patch("web", {"operation": {"sync": {}}, "status": {"operationState": {"phase": "Running", "operation": {}, "startedAt": "2026-01-01T00:00:00Z"}}})  # fmt: skip
    assert (await place.ask("DELETE", f"{ONE}/operation", who="dev")).json == {}
    assert (await place.app())["status"]["operationState"]["phase"] == "Terminating"


async def test_replacing_objects_can_be_switched_off(place):
    await place.deploy("web")
    await place.configure("argocd-cmd-params-cm", **{"server.sync.replace.allowed": "false"})
    told = await place.ask("POST", f"{ONE}/sync", {"syncOptions": {"items": ["Replace=true"]}})
    assert (told.status, told.json["code"]) == (400, 9)


async def test_local_manifests_are_refused_where_sources_must_be_signed(place):
    project = await place.get(APP_PROJECT.resource, "shop")
    project["spec"]["signatureKeys"] = [{"keyID": "4AEE18F83AFDEB23"}]
    await place.client.update(Target(APP_PROJECT.resource, "argocd", "shop"), encode(project))
    await place.deploy("web")
    for _ in range(400):
        if place.desk.installation.projects["shop"].spec.signature_keys:
            break
        await asyncio.sleep(0.005)
    told = await place.ask("POST", f"{ONE}/sync", {"manifests": ["{}"]})
    assert (told.status, told.json["code"]) == (400, 9)
    await place.patch("web", {"spec": {"source": {"repoURL": "oci://registry.test/web"}}})
    assert (await place.ask("POST", f"{ONE}/sync", {"manifests": ["{}"]})).status == 200, "a registry has no commits"


async def test_a_refresh_waits_until_somebody_has_looked(place):
    await place.deploy("web")
    asked = asyncio.create_task(place.ask("GET", f"{ONE}?refresh=hard"))
    for _ in range(400):
        if "argocd.argoproj.io/refresh" in ((await place.app())["metadata"].get("annotations") or {}):
            break
        await asyncio.sleep(0.005)
    assert not asked.done()
    change = {
        "metadata": {"annotations": {"argocd.argoproj.io/refresh": None}},
        "status": {"sync": {"status": "Synced"}},
    }
    await place.patch("web", change)
    assert (await asked).json["status"]["sync"]["status"] == "Synced"
    assert await place.written() == []


async def test_links_lead_to_web_pages_and_nowhere_else(place):
    """Attack 19."""
    links = """
- url: https://grafana/{{.app.metadata.name}}?c={{.cluster.name}}
  title: Graphs
- url: 'javascript:alert(1)'
  title: Bad
- url: https://x/{{.app.metadata.name
  title: Broken
- url: https://never
  title: Never
  if: application.metadata.name == "other"
- url: https://failing
  title: Failing
  if: application.metadata.name +
"""
    await place.configure("argocd-cm", **{"application.links": links})
    await place.deploy("web")
    told = (await place.ask("GET", f"{ONE}/links")).json
    assert told == {"items": [{"title": "Graphs", "url": "https://grafana/web?c=in-cluster"}]}
    await place.deploy("lost", spec={"destination": {"name": "nowhere", "namespace": "x"}})
    assert len((await place.ask("GET", "/api/v1/applications/lost/links")).json["items"]) == 1


async def test_links_lead_to_the_installation_that_manages_an_application(place):
    links = "- url: '{{.managedByURL}}/{{.app.metadata.name}}'\n  title: There"
    await place.configure("argocd-cm", **{"application.links": links, "url": "https://here.example.org"})
    for name, annotation, expected in (
        ("a", "https://there.example.org", "https://there.example.org/a"),
        ("b", "", "https://here.example.org/b"),
        ("c", "javascript:x", "https://here.example.org/c"),
    ):
        await place.deploy(name, metadata={"annotations": {"argocd.argoproj.io/managed-by-url": annotation}})
        told = (await place.ask("GET", f"/api/v1/applications/{name}/links")).json
        assert told == {"items": [{"title": "There", "url": expected}]}


async def test_a_refresh_that_nobody_answers_is_not_waited_for(place):
    await place.deploy("web")
    reading = Reading(place.desk, place.api.finder, refreshed_s=0.02)
    asker = await place.asker(_asked_by("ada"))
    found = await place.api.finder.found(asker, Named("argocd", "web"), "get")
    with pytest.raises(TimedOut):
        await reading._refreshed(found, "normal")
    gone = asyncio.create_task(Reading(place.desk, place.api.finder)._refreshed(found, "normal"))
    await until(lambda: place.desk.board._followers)
    await place.ask("DELETE", f"{ONE}?cascade=false")
    with pytest.raises((NotFound, TimedOut)):
        await gone


async def test_a_body_of_other_types_is_refused(place):
    await place.deploy("web")
    for body in ({"resources": "all"}, {"prune": {}}, [1]):
        told = await place.ask("POST", f"{ONE}/sync", body)
        assert (told.status, told.json["code"]) == (400, 3)


def _asked_by(name):
    return Request({"method": "GET", "path": "/", "query_string": b"", "headers": [(b"x-who", name.encode())]}, None)
