"""What people did stands beside the object as events, in the words that Argo CD's API server has for it."""

from urllib.parse import urlencode

from tests.web.api.resources.scene import config_map, deployment, told
from tests.web.api.test_operations import HISTORY
from tests.web.api.test_projects import project
from tests.web.api.yard import EVENTS, application
from tests.web.api.yard import told as events_about

from plumbline.base.errors import Unreachable
from plumbline.base.json import encode
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Target

APPS = "/api/v1/applications"
PROJECTS = "/api/v1/projects"
FILES = {"web/a.yaml": deployment(), "web/c.yaml": config_map("web")}


def query(kind, group, version):
    return "?" + urlencode(
        {"group": group, "kind": kind, "version": version, "namespace": "shop", "resourceName": "web"}
    )


async def test_who_made_changed_and_deleted_an_application_is_told_beside_it(place):
    await place.ask("POST", APPS, application())
    await place.ask("PUT", f"{APPS}/web/spec", {**application()["spec"], "revisionHistoryLimit": 3})
    await place.ask("DELETE", f"{APPS}/web?cascade=false")
    assert await place.told("Application", "web", 3) == [
        ("ResourceCreated", "ada created application"),
        ("ResourceUpdated", "ada updated application spec"),
        ("ResourceDeleted", "ada deleted application"),
    ]


async def test_an_event_is_about_that_very_object_where_the_object_is(place):
    await place.configure("argocd-cmd-params-cm", **{"application.namespaces": "team"})
    await place.ask("POST", APPS, application(metadata={"namespace": "team"}))
    await place.told("Application", "web", 1, "team")
    (event,) = await events_about(place.client, "team", "Application", "web")
    live = await place.app(namespace="team")
    assert event["involvedObject"] == {
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "namespace": "team", "name": "web",
        "uid": live["metadata"]["uid"], "resourceVersion": live["metadata"]["resourceVersion"],
    }  # fmt: skip
    assert event["type"] == "Normal"


async def test_operations_say_to_what(place):
    await place.deploy("web", status={"history": HISTORY})
    await place.ask("POST", f"{APPS}/web/sync", {"revision": "v1\n" + "x" * 5000}, who="dev")
    await place.patch("web", {"operation": None, "status": {"history": HISTORY}})
    assert (await place.ask("POST", f"{APPS}/web/rollback", {"id": 1})).status == 200
    await place.patch(
        "web",
        {"status": {"operationState": {"phase": "Running", "operation": {}, "startedAt": "2026-01-01T00:00:00Z"}}},
    )
    assert (await place.ask("DELETE", f"{APPS}/web/operation")).status == 200
    synced, rolled, ended = await place.told("Application", "web", 3)
    assert synced[0] == "OperationStarted"
    assert synced[1].startswith("dev initiated sync to v1\\n")
    assert len(synced[1]) <= 1024
    assert rolled == ("OperationStarted", "ada initiated rollback to 1")
    assert ended == ("ResourceUpdated", "ada terminated running operation")


async def test_a_sync_of_several_sources_or_of_a_part_or_of_manifests_says_so(place):
    sources = [{"repoURL": "https://git.example.org/shop.git", "path": each} for each in ("a", "b")]
    spec = {**application()["spec"], "source": None, "sources": [sources[0], {**sources[1], "targetRevision": "v2"}]}
    await place.create(APPLICATION.resource, application(spec=spec))
    part = {"resources": [{"group": "apps", "kind": "Deployment", "name": "web"}]}
    for body in (part, {"manifests": []}):
        assert (await place.ask("POST", f"{APPS}/web/sync", body)).status == 200
        target = Target(APPLICATION.resource, "argocd", "web")
        await place.client.patch(target, encode({"operation": None}), "merge")
    assert [said for _, said in await place.told("Application", "web", 2)] == [
        "ada initiated partial sync to HEAD,v2",
        "ada initiated sync locally",
    ]


async def test_projects_and_their_tokens_are_told_of(place):
    await place.ask("POST", PROJECTS, project("new", roles=[{"name": "ci"}]))
    await place.ask("PUT", f"{PROJECTS}/new", project("new", roles=[{"name": "ci"}], description="x"))
    await place.ask("POST", f"{PROJECTS}/new/roles/ci/token", {"id": "one"})
    await place.ask("DELETE", f"{PROJECTS}/new/roles/ci/token/1000?id=one")
    await place.ask("DELETE", f"{PROJECTS}/new")
    assert await place.told("AppProject", "new", 5) == [
        ("ResourceCreated", "ada created project"),
        ("ResourceUpdated", "ada updated project"),
        ("ResourceCreated", "ada created token"),
        ("ResourceDeleted", "ada deleted token"),
        ("ResourceDeleted", "ada deleted project"),
    ]


async def test_what_was_refused_is_not_told(place):
    await place.deploy("web")
    assert (await place.ask("DELETE", f"{APPS}/web", who="dev")).status == 403
    assert (await place.ask("POST", f"{APPS}/web/sync", {}, who="dev")).status == 200
    assert await place.told("Application", "web", 1) == [("OperationStarted", "dev initiated sync to main")]


async def test_an_event_that_cannot_be_written_is_nobodys_trouble(place, monkeypatch):
    create = place.client.create

    async def refusing(target, *more):
        if target.resource == EVENTS:
            raise Unreachable("nobody answers")
        return await create(target, *more)

    monkeypatch.setattr(place.client, "create", refusing)
    assert (await place.ask("POST", APPS, application())).status == 200
    assert (await place.ask("POST", f"{APPS}/web/sync", {})).status == 200


@told(files=FILES)
async def test_an_action_is_told_beside_the_application_and_beside_the_object_each_time(scene):
    at = query("Deployment", "apps", "v1")
    for _ in range(2):
        assert (await scene.ask("POST", "resource/actions" + at, "restart", who="walt")).status == 200
        await scene.place.settle(2)
    beside = await events_about(scene.client, "argocd", "Application", "web")
    assert [(each["reason"], each["message"]) for each in beside] == [
        ("ResourceActionRan", "walt ran action restart on resource apps/Deployment/web")
    ] * 2
    on_it = await events_about(scene.client, "shop", "Deployment", "web")
    assert [(each["reason"], each["message"]) for each in on_it] == [
        ("ResourceActionRan", "walt ran action restart")
    ] * 2


@told(files=FILES)
async def test_an_action_on_the_application_itself_is_told_once(scene):
    itself = {
        "group": "argoproj.io",
        "kind": "Application",
        "version": "v1alpha1",
        "namespace": "argocd",
        "resourceName": "web",
    }
    assert (await scene.ask("POST", "resource/actions?" + urlencode(itself), "toggle-auto-sync")).status == 200
    await scene.place.settle(2)
    beside = await events_about(scene.client, "argocd", "Application", "web")
    assert [each["message"] for each in beside] == ["ada ran action toggle-auto-sync"]


@told(files=FILES)
async def test_objects_that_people_patch_or_delete_are_told_of_beside_the_application(scene):
    at = query("ConfigMap", "", "v1")
    patch = "resource" + at + "&" + urlencode({"patchType": "application/merge-patch+json"})
    assert (await scene.ask("POST", patch, '{"metadata": {"labels": {"a": "b"}}}')).status == 200
    assert (await scene.ask("DELETE", "resource" + at)).status == 200
    await scene.place.settle(2)
    beside = await events_about(scene.client, "argocd", "Application", "web")
    assert [(each["reason"], each["message"]) for each in beside] == [
        ("ResourceUpdated", "ada patched resource /ConfigMap 'web'"),
        ("ResourceDeleted", "ada deleted resource /ConfigMap 'web'"),
    ]


async def test_events_carry_the_labels_that_the_settings_name_and_no_others(place):
    labels = {"team": "a", "tier": "ui"}
    await place.ask("POST", APPS, application("before", metadata={"labels": labels}))
    await place.configure("argocd-cm", **{"resource.includeEventLabelKeys": "te*"})
    await place.ask("POST", APPS, application(metadata={"labels": labels}))
    await place.ask("DELETE", f"{APPS}/web?cascade=false")
    await place.told("Application", "web", 2)
    events = await events_about(place.client, "argocd", "Application", "web")
    assert [each["metadata"]["labels"] for each in events] == [{"team": "a"}] * 2
    (bare,) = await events_about(place.client, "argocd", "Application", "before")
    assert "labels" not in bare["metadata"]
