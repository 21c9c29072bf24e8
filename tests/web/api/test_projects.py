"""Projects: read, written, and the tokens of their roles."""

import asyncio

from tests.web.api.yard import PERMISSIVE, REPO, SERVER, until

from plumbline.kinds.appproject import APP_PROJECT
from plumbline.web.api.desk import EVENTS

ALL = "/api/v1/projects"
ROLE = {"name": "ci", "policies": ["p, proj:shop:ci, applications, sync, shop/*, allow"], "groups": ["team"]}


def project(name="new", **spec):
    return {"project": {"metadata": {"name": name}, "spec": {**PERMISSIVE, **spec}}}


async def known(place, name, true=lambda project: True):
    await until(lambda: name in place.desk.installation.projects and true(place.desk.installation.projects[name]))


async def test_somebody_sees_the_projects_that_they_may_get(place):
    assert [each["metadata"]["name"] for each in (await place.ask("GET", ALL, who="dev")).json["items"]] == ["shop"]
    narrow = await place.ask("GET", f"{ALL}?fields=items.metadata.name")
    assert {"items": narrow.json["items"]} == {
        "items": [{"metadata": {"name": each}} for each in ("bank", "default", "shop")]
    }
    assert (await place.ask("GET", f"{ALL}/bank", who="dev")).status == 403
    assert (await place.ask("GET", f"{ALL}/none", who="dev")).status == 403
    assert (await place.ask("GET", f"{ALL}/none")).status == 404
    assert (await place.ask("GET", f"{ALL}/shop")).json["spec"]["sourceRepos"] == ["*"]


async def test_a_project_is_made_once_and_changed_with_upsert(place):
    assert (await place.ask("POST", ALL, project(), who="dev")).status == 403
    assert (await place.ask("POST", ALL, project())).status == 200
    assert (await place.ask("POST", ALL, project())).status == 200
    assert (await place.ask("POST", ALL, project(description="x"))).status == 400
    told = await place.ask("POST", ALL, {**project(description="x"), "upsert": True})
    assert told.json["spec"]["description"] == "x"
    assert await place.written() == [("person:ada", "create", "new"), ("person:ada", "update", "new")]


async def test_what_a_project_may_not_be(place):
    bad = [
        {},
        {"project": {"spec": {}}},
        project(roles=[{"name": "ci", "policies": ["p, proj:bank:ci, applications, *, bank/*, allow"]}]),
        project(roles=[{"name": "ci"}, {"name": "ci"}]),
        project(syncWindows=[{"kind": "perhaps", "schedule": "* * * * *", "duration": "1h", "applications": ["*"]}]),
        project(sourceRepos=5),
    ]
    for body in bad:
        told = await place.ask("POST", ALL, body)
        assert (told.status, told.json["code"]) == (400, 3), body


async def test_a_project_gives_away_only_what_its_writer_has(place):
    place.allow("p, eve, projects, update, shop, allow\n")
    narrow = project("shop", sourceRepos=[REPO], destinations=[{"server": SERVER, "namespace": "*"}])
    assert (await place.ask("PUT", f"{ALL}/shop", narrow, who="eve")).status == 403
    told = await place.ask("PUT", f"{ALL}/shop", narrow)
    assert told.status == 200
    assert told.json["spec"]["sourceRepos"] == [REPO]
    place.allow(f"p, eve, projects, update, shop, allow\np, eve, clusters, update, {SERVER}, allow\n")
    wider = project("shop", sourceRepos=[REPO, "https://other"], destinations=[{"server": SERVER, "namespace": "*"}])
    assert (await place.ask("PUT", f"{ALL}/shop", wider, who="eve")).status == 403


async def test_a_change_that_breaks_applications_is_refused(place):
    await place.deploy("web")
    await place.deploy("lost", spec={"destination": {"name": "nowhere", "namespace": "x"}})
    narrow = project("shop", sourceRepos=["https://x"], destinations=[{"server": SERVER, "namespace": "y"}])
    told = await place.ask("PUT", f"{ALL}/shop", narrow)
    assert told.status == 400
    assert "2 applications source became invalid and 1 applications destination became invalid" in told.json["message"]
    assert (await place.ask("PUT", f"{ALL}/none", narrow)).status == 404


async def test_a_project_goes_when_nothing_uses_it(place):
    await place.deploy("web")
    assert (await place.ask("DELETE", f"{ALL}/default")).status == 400
    assert "referenced by 1 applications" in (await place.ask("DELETE", f"{ALL}/shop")).json["message"]
    assert (await place.ask("DELETE", f"{ALL}/bank")).json == {}
    assert (await place.ask("DELETE", f"{ALL}/bank")).status == 404


async def test_details_tell_addresses_and_nothing_that_opens_them(place):
    """Attack 22, CVE-2025-55190."""
    await place.secret("r", "repository", url=REPO, project="shop", username="bob", password="CANARY")
    await place.secret(
        "c", "cluster", name="eu", server="https://eu", project="shop", config='{"bearerToken":"CANARY"}'
    )
    await place.configure("argocd-cm", globalProjects="- projectName: bank\n  labelSelector: {}\n")
    told = await place.ask("GET", f"{ALL}/shop/detailed", who="dev")
    assert told.json["repositories"][0]["repo"] == REPO
    assert told.json["clusters"] == [{"server": "https://eu", "name": "eu", "project": "shop"}]
    assert [each["metadata"]["name"] for each in told.json["globalProjects"]] == ["bank"]
    assert b"CANARY" not in told.body
    assert b"bob" not in told.body
    shared = await place.ask("GET", f"{ALL}/shop/globalprojects")
    assert [each["metadata"]["name"] for each in shared.json["items"]] == ["bank"]


async def test_windows_links_and_events_of_a_project(place):
    window = {"kind": "allow", "schedule": "* * * * *", "duration": "1h", "applications": ["*"]}
    await place.ask("PUT", f"{ALL}/shop", project("shop", syncWindows=[window, {**window, "schedule": "0 0 30 2 *"}]))
    await known(place, "shop", lambda found: found.spec.sync_windows)
    open_ = (await place.ask("GET", f"{ALL}/shop/syncwindows")).json["windows"]
    assert open_[0]["schedule"] == "* * * * *"
    await place.configure(
        "argocd-cm", **{"project.links": "- url: https://wiki/{{.project.metadata.name}}\n  title: Wiki"}
    )
    assert (await place.ask("GET", f"{ALL}/shop/links")).json == {
        "items": [{"title": "Wiki", "url": "https://wiki/shop"}]
    }
    uid = (await place.get(APP_PROJECT.resource, "shop"))["metadata"]["uid"]
    about = {"kind": "AppProject", "name": "shop", "namespace": "argocd", "uid": uid}
    event = {
        "kind": "Event",
        "metadata": {"name": "e"},
        "involvedObject": about,
        "reason": "R",
        "message": "m",
        "type": "Normal",
    }
    await place.create(EVENTS, event)
    assert "R" in [each["reason"] for each in (await place.ask("GET", f"{ALL}/shop/events")).json["items"]]


async def test_tokens_are_recorded_and_revoked(place):
    await place.ask("PUT", f"{ALL}/shop", project("shop", roles=[ROLE]))
    made = await place.ask("POST", f"{ALL}/shop/roles/ci/token", {"expiresIn": 60, "id": "one"})
    assert made.json == {"token": "proj:shop:ci/one"}
    assert (await place.ask("POST", f"{ALL}/shop/roles/ci/token", {"id": "one"})).status == 400
    live = await place.get(APP_PROJECT.resource, "shop")
    record = {"iat": 1000, "exp": 60, "id": "one"}
    assert live["status"]["jwtTokensByRole"] == {"ci": {"items": [record]}}
    assert live["spec"]["roles"][0]["jwtTokens"] == [record]
    await place.ask("PUT", f"{ALL}/shop", project("shop", roles=[ROLE], description="x"))
    assert (await place.ask("GET", f"{ALL}/shop")).json["status"]["jwtTokensByRole"]["ci"]["items"] == [record]
    assert (await place.ask("DELETE", f"{ALL}/shop/roles/ci/token/5")).json == {}
    assert (await place.ask("DELETE", f"{ALL}/shop/roles/ci/token/1000?id=one")).json == {}
    live = await place.get(APP_PROJECT.resource, "shop")
    assert live["status"]["jwtTokensByRole"]["ci"] == {}
    assert "jwtTokens" not in live["spec"]["roles"][0]
    assert (await place.ask("DELETE", f"{ALL}/shop/roles/none/token/5")).json == {}


async def test_members_of_a_role_make_its_tokens_and_nobody_else(place):
    await place.ask("PUT", f"{ALL}/shop", project("shop", roles=[ROLE]))
    path = f"{ALL}/shop/roles/ci/token"
    assert (await place.ask("POST", path, {}, who="eve")).status == 403
    assert (await place.ask("POST", path, {}, who="eve", x_groups="team")).status == 200
    assert (await place.ask("POST", f"{ALL}/none/roles/ci/token", {}, who="eve")).status == 403
    assert (await place.ask("POST", f"{ALL}/shop/roles/none/token", {})).status == 404
    assert (await place.ask("POST", path, {"expiresIn": -1})).status == 400
    assert (await place.ask("DELETE", f"{path}/1", who="eve")).status == 403


async def test_tokens_made_at_once_are_all_recorded(place):
    """Attack 33."""
    await place.ask("PUT", f"{ALL}/shop", project("shop", roles=[ROLE]))
    path = f"{ALL}/shop/roles/ci/token"
    answers = await asyncio.gather(*(place.ask("POST", path, {"id": f"t{number}"}) for number in range(4)))
    made = {each.json["token"].rpartition("/")[2] for each in answers if each.status == 200}
    live = await place.get(APP_PROJECT.resource, "shop")
    assert {each["id"] for each in live["status"]["jwtTokensByRole"]["ci"]["items"]} == made
    assert made
