"""What a project permits and what an installation sets is held at every step, and changes take hold at once."""

import asyncio

import pytest

from plumbline.delivery.settings.values import NEVER_S
from plumbline.kube.names import GroupVersionKind

from .town import config_map, story

FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")}
APPS = "argoproj.io/v1alpha1/applications"
PROJECTS = "argoproj.io/v1alpha1/appprojects"
EVERYWHERE = {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}]}


async def conditions(town, name="web"):
    found = (await town.app(name))["status"].get("conditions", [])
    return {each["type"]: each["message"] for each in found}


async def set_config(town, **data):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}, "data": data}
    await town.create("v1/configmaps", body, "argocd")


@story(files=FILES, project={**EVERYWHERE, "sourceRepos": ["https://elsewhere.example.org/*"]})
async def test_a_repository_that_the_project_does_not_permit_is_not_used(town):
    await town.deploy()
    await town.settle()
    assert (
        "application repo https://git.example.org/shop.git is not permitted in project 'default'"
        in (await conditions(town))["InvalidSpecError"]
    )
    assert (await town.app())["status"]["sync"]["status"] == "Unknown"
    assert town.repository.asked == 0
    await town.patch(PROJECTS, "default", {"spec": {"sourceRepos": ["*"]}}, "argocd")
    await town.synced()
    assert await conditions(town) == {}


@story(files=FILES, project={**EVERYWHERE, "destinations": [{"server": "*", "namespace": "other"}]})
async def test_a_destination_that_the_project_does_not_permit_is_not_written(town):
    await town.deploy()
    await town.settle()
    assert "do not match any of the allowed destinations" in (await conditions(town))["InvalidSpecError"]
    assert await town.get("v1/configmaps", "a") is None


@story(files=FILES, project={**EVERYWHERE, "namespaceResourceBlacklist": [{"group": "", "kind": "ConfigMap"}]})
async def test_a_kind_that_the_project_does_not_permit_fails_the_sync(town):
    await town.deploy()
    await town.settle()
    state = (await town.app())["status"]["operationState"]
    assert "resource :ConfigMap is not permitted in project default" in state["message"]
    assert await town.get("v1/configmaps", "a") is None


@story(files=FILES)
async def test_an_application_of_an_unknown_project_says_so(town):
    await town.deploy(project="nowhere")
    await town.settle()
    assert (await conditions(town))[
        "InvalidSpecError"
    ] == "Application referencing project nowhere which does not exist"


@story(files=FILES)
async def test_applications_in_other_namespaces_are_left_alone_unless_a_setting_allows_them(town):
    await town.deploy("web", namespace="shop")
    await town.settle()
    assert await town.get("v1/configmaps", "a") is None
    await town.patch(PROJECTS, "default", {"spec": {"sourceNamespaces": ["shop"]}}, "argocd")
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cmd-params-cm"},
        "data": {"application.namespaces": "shop"},
    }
    await town.create("v1/configmaps", body, "argocd")
    await town.settle()
    live = await town.get("v1/configmaps", "a")
    assert live["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"] == "shop_web:/ConfigMap:shop/a"


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n",
            "Indent with spaces: YAML does not take tabs for that.",
        ),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\n", "Put quotes around it."),
    ],
)
def test_a_manifest_that_cannot_be_read_says_what_to_do_where_people_look(text, way_out):
    @story(files={"web/a.yaml": text})
    async def told(town):
        await town.deploy()
        await town.settle()
        assert (await conditions(town))["ComparisonError"].endswith(f". {way_out}")

    told()


DENIED = {
    **EVERYWHERE,
    "syncWindows": [
        {"kind": "deny", "schedule": "0 0 * * *", "duration": "2h", "applications": ["*"], "manualSync": True}
    ],
}


@story(files=FILES, project=DENIED)
async def test_a_window_holds_automatic_syncs_back_until_it_closes(town):
    await town.deploy()
    await town.settle(60)
    assert await town.get("v1/configmaps", "a") is None
    assert "operationState" not in (await town.app())["status"]
    await town.settle(2 * 3600)
    assert await town.get("v1/configmaps", "a") is not None


@story(files=FILES, project=DENIED)
async def test_a_person_may_sync_where_the_window_says_so(town):
    await town.deploy()
    await town.settle()
    await town.sync()
    await town.synced()


CLOSED = {**EVERYWHERE, "syncWindows": [{**DENIED["syncWindows"][0], "manualSync": False}]}


@story(files=FILES, project=CLOSED)
async def test_what_a_person_asked_for_is_held_back_until_the_window_closes_and_says_so(town):
    await town.deploy(automated=False)
    await town.settle()
    await town.sync()
    await town.settle(60)
    state = (await town.app())["status"]["operationState"]
    assert (state["phase"], state["message"]) == ("Running", "Sync operation blocked by sync window")
    assert await town.get("v1/configmaps", "a") is None
    await town.settle(2 * 3600)
    assert (await town.app())["status"]["operationState"]["phase"] == "Succeeded"
    assert await town.get("v1/configmaps", "a") is not None


WAVES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b", **{"argocd.argoproj.io/sync-wave": "1"})}


@story(files=WAVES, project=EVERYWHERE)
async def test_a_window_that_shuts_in_the_midst_of_a_sync_pauses_it_between_two_waves(town):
    await town.deploy(automated=False)
    await town.settle()
    await town.sync()
    await town.settle(1)
    await town.patch(PROJECTS, "default", {"spec": {"syncWindows": CLOSED["syncWindows"]}}, "argocd")
    await town.settle(60)
    state = (await town.app())["status"]["operationState"]
    assert (state["phase"], state["message"]) == ("Running", "Sync operation blocked by sync window")
    assert await town.get("v1/configmaps", "a") is not None
    assert await town.get("v1/configmaps", "b") is None
    await town.settle(2 * 3600)
    assert await town.get("v1/configmaps", "b") is not None


@story(
    files=FILES,
    project={**EVERYWHERE, "orphanedResources": {"warn": True, "ignore": [{"kind": "ConfigMap", "name": "known-*"}]}},
)
async def test_objects_that_belong_to_nobody_are_counted(town):
    for name in ("stray", "known-one"):
        await town.create(
            "v1/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}, "shop"
        )
    await town.deploy()
    await town.synced()
    await town.settle(120)
    assert (await conditions(town))["OrphanedResourceWarning"] == "Application has 1 orphaned resources"


@story(files=FILES)
async def test_what_another_installation_has_marked_is_theirs_from_when_the_settings_tell_the_two_apart(town):
    mark = {"argocd.argoproj.io/tracking-id": "web:/ConfigMap:shop/theirs"}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "theirs", "annotations": mark}}
    await town.create("v1/configmaps", body, "shop")
    await town.deploy(automated=False)
    await town.sync()
    await town.settle()
    app = await town.app()
    assert app["status"]["sync"]["status"] == "OutOfSync"
    assert [each["name"] for each in app["status"]["resources"] if each.get("requiresPruning")] == ["theirs"]
    await set_config(town, installationID="blue")
    await town.sync(prune=True)
    await town.synced()
    assert [each["name"] for each in (await town.app())["status"]["resources"]] == ["a", "b"]
    assert await town.get("v1/configmaps", "theirs") is not None
    live = await town.get("v1/configmaps", "a")
    assert live["metadata"]["annotations"]["argocd.argoproj.io/installation-id"] == "blue"


@story(files=FILES)
async def test_kinds_that_were_followed_are_followed_when_objects_are_marked_in_another_way(town):
    await town.deploy("first", path="web", automated=False)
    await town.settle()
    (destination,) = town.delivery.destinations.ready
    await destination.live.watch(GroupVersionKind("", "v1", "Secret"))
    await set_config(town, **{"application.resourceTrackingMethod": "label"})
    await town.settle()
    (now,) = town.delivery.destinations.ready
    assert now is not destination
    assert {each.resource.kind for each in now.live.collections} >= {"ConfigMap", "Secret"}


@story(files=FILES)
async def test_objects_are_marked_as_the_settings_say(town):
    await set_config(town, **{"application.resourceTrackingMethod": "label"})
    await town.deploy()
    await town.synced()
    live = await town.get("v1/configmaps", "a")
    assert live["metadata"]["labels"]["app.kubernetes.io/instance"] == "web"
    assert "argocd.argoproj.io/tracking-id" not in live["metadata"].get("annotations", {})
    town.repository.change(web__b_yaml=None)
    await town.synced()
    assert await town.get("v1/configmaps", "b") is None


@story(
    files=FILES,
    project={
        **EVERYWHERE,
        "destinationServiceAccounts": [{"server": "*", "namespace": "shop", "defaultServiceAccount": "deployer"}],
    },
)
async def test_writes_are_done_as_the_service_account_that_the_project_names(town):
    await set_config(town, **{"application.sync.impersonation.enabled": "true"})
    await town.deploy()
    await town.settle()
    state = (await town.app())["status"]["operationState"]
    assert 'User "system:serviceaccount:shop:deployer" cannot patch' in str(state["syncResult"]["resources"])
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "deployer"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
        "subjects": [{"kind": "ServiceAccount", "name": "deployer", "namespace": "shop"}],
    }  # fmt: skip
    await town.create("rbac.authorization.k8s.io/v1/rolebindings", binding, "shop")
    await town.synced(within_s=900)


@story(files=FILES)
async def test_where_no_service_account_is_named_nothing_is_written_as_ourselves(town):
    await set_config(town, **{"application.sync.impersonation.enabled": "true"})
    await town.deploy()
    await town.settle()
    assert "no matching service account found" in (await conditions(town))["SyncError"]
    assert await town.get("v1/configmaps", "a") is None


@story(files=FILES, project={**EVERYWHERE, "signatureKeys": [{"keyID": "4AEE18F83AFDEB23"}]})
async def test_what_has_to_be_signed_and_is_not_is_not_used(town):
    await town.deploy()
    await town.settle()
    assert "ComparisonError" in await conditions(town)
    assert await town.get("v1/configmaps", "a") is None


@story(files=FILES)
async def test_an_application_that_is_to_be_skipped_is_not_touched(town):
    await town.deploy(metadata={"annotations": {"argocd.argoproj.io/skip-reconcile": "true"}})
    await town.settle()
    assert "status" not in await town.app()
    await town.patch(APPS, "web", {"metadata": {"annotations": {"argocd.argoproj.io/skip-reconcile": None}}}, "argocd")
    await town.synced()


@story(files=FILES)
async def test_what_goes_to_a_cluster_that_is_to_be_skipped_is_not_touched(town):
    values = {"name": "in-cluster", "server": "https://kubernetes.default.svc"}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "cluster-in-cluster",
            "labels": {"argocd.argoproj.io/secret-type": "cluster"},
            "annotations": {"argocd.argoproj.io/skip-reconcile": "true"},
        },
        "stringData": values,
    }
    await town.create("v1/secrets", secret, "argocd")
    await town.settle()
    await town.deploy()
    await town.settle()
    assert "status" not in await town.app()
    change = {"metadata": {"annotations": {"argocd.argoproj.io/skip-reconcile": None}}}
    await town.patch("v1/secrets", "cluster-in-cluster", change, "argocd")
    await town.synced()


@story(files=FILES)
async def test_an_application_that_is_to_be_skipped_is_not_taken_down_either(town):
    await town.deploy(metadata={"finalizers": ["resources-finalizer.argocd.argoproj.io"]})
    await town.synced()
    await town.patch(APPS, "web", {"metadata": {"annotations": {"argocd.argoproj.io/skip-reconcile": "1"}}}, "argocd")
    await town.delete(APPS, "web", "argocd")
    await town.settle(60)
    assert await town.app() is not None
    assert await town.get("v1/configmaps", "a") is not None
    await town.patch(APPS, "web", {"metadata": {"annotations": {"argocd.argoproj.io/skip-reconcile": None}}}, "argocd")
    await town.settle(60)
    assert await town.app() is None
    assert await town.get("v1/configmaps", "a") is None


@pytest.mark.parametrize(
    ("kind", "name", "change", "why"),
    [
        ("appprojects", "default", {"sourceRepos": ["https://elsewhere.example.org/*"]}, "its repository is forbidden"),
        ("applications", "web", {"source": {"path": None}}, "its source says nothing"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_whatever_is_wrong_with_its_source_an_application_can_go(kind, name, change, why):
    @story(files=FILES)
    async def goes(town):
        await town.deploy(metadata={"finalizers": ["resources-finalizer.argocd.argoproj.io"]})
        await town.synced()
        await town.patch(f"argoproj.io/v1alpha1/{kind}", name, {"spec": change}, "argocd")
        await town.settle()
        assert "InvalidSpecError" in await conditions(town), why
        await town.delete(APPS, "web", "argocd")
        await town.settle(60)
        assert await town.app() is None
        assert await town.get("v1/configmaps", "a") is None

    goes()


@story(files=FILES)
async def test_a_hard_refresh_renders_what_did_not_change_and_a_normal_one_does_not(town):
    await town.deploy()
    await town.synced()
    await town.settle()
    for kind, renders in (("normal", 1), ("hard", 2), ("normal", 2), ("hard", 3)):
        await town.patch(APPS, "web", {"metadata": {"annotations": {"argocd.argoproj.io/refresh": kind}}}, "argocd")
        await town.settle()
        assert town.renderer.counts.renders == renders


@story(files=FILES)
async def test_a_refresh_is_answered(town):
    await town.deploy()
    await town.synced()
    await town.settle(30)
    await town.patch(APPS, "web", {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}}, "argocd")
    await town.settle()
    app = await town.app()
    assert "argocd.argoproj.io/refresh" not in app["metadata"].get("annotations", {})
    assert app["status"]["reconciledAt"] > app["status"]["history"][0]["deployedAt"]


@story(files=FILES)
async def test_settings_that_change_many_times_count_as_they_are_now(town):
    await town.deploy(automated={"selfHeal": False})
    await town.synced()
    await town.patch("v1/configmaps", "a", {"data": {"value": "by hand"}})
    await set_config(town)
    customized = "resource.customizations.ignoreDifferences.ConfigMap"
    for turn in range(8):
        for field, status in (("value", "Synced"), (f"other{turn}", "OutOfSync")):
            ignored = f"jsonPointers: [/data/{field}]"
            await town.patch("v1/configmaps", "argocd-cm", {"data": {customized: ignored}}, "argocd")
            await town.settle()
            assert (await town.app())["status"]["sync"]["status"] == status, f"{field} is ignored"


@story(files={**FILES, "other/b.yaml": config_map("c")})
async def test_who_waits_for_a_list_that_nobody_reads_any_more_goes_on_with_the_one_that_is_read_instead(town):
    follow, answered = town.client.follow, asyncio.Event()

    async def late(target, selection):
        if (target.resource.resource, target.namespace) == ("configmaps", ""):
            await answered.wait()
        async for event in follow(target, selection):
            yield event

    town.client.follow = late
    await set_config(town)
    await town.deploy()
    await town.settle()
    marks = {"data": {"application.resourceTrackingMethod": "label"}}
    await town.patch("v1/configmaps", "argocd-cm", marks, "argocd")
    await town.deploy("other")
    await town.settle()
    answered.set()
    await town.synced("other")
    await town.synced()


@story(files=FILES)
async def test_who_waits_for_a_list_that_never_comes_need_not_once_it_is_to_be_read_otherwise(town):
    follow, lists = town.client.follow, []

    async def stuck(target, selection):
        if (target.resource.resource, target.namespace) == ("configmaps", ""):
            lists.append(target)
            if len(lists) == 1:
                await asyncio.Event().wait()
        async for event in follow(target, selection):
            yield event

    town.client.follow = stuck
    await set_config(town)
    await town.deploy()
    await town.settle()
    marks = {"data": {"application.resourceTrackingMethod": "label"}}
    await town.patch("v1/configmaps", "argocd-cm", marks, "argocd")
    await town.synced()


@story(files=FILES, project={"sourceRepos": ["*"], "destinations": [{"name": "here", "namespace": "*"}]})
async def test_a_cluster_goes_by_the_name_that_it_has_now(town):
    metadata = {"name": "c", "labels": {"argocd.argoproj.io/secret-type": "cluster"}}
    said = {"name": "here", "server": "https://kubernetes.default.svc", "config": "{}"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": said}
    await town.create("v1/secrets", secret, "argocd")
    await town.deploy()
    await town.synced()
    await town.patch("v1/secrets", "c", {"stringData": {"name": "there"}}, "argocd")
    permitted = {"spec": {"destinations": [{"name": "there", "namespace": "*"}]}}
    await town.patch("argoproj.io/v1alpha1/appprojects", "default", permitted, "argocd")
    town.repository.change(web__b_yaml=None)
    await town.synced()
    assert await town.get("v1/configmaps", "b") is None
    assert not await conditions(town)


@story(files=FILES)
async def test_health_is_what_the_scripts_of_now_say_also_of_objects_that_stay_as_they_are(town):
    town.delivery.parts.evaluator.lua = _said_by_the_script
    await set_config(town)
    await town.deploy()
    await town.synced()
    for script, health in (("Degraded", "Degraded"), ("Suspended", "Suspended"), (None, "Healthy")):
        change = {"data": {"resource.customizations.health.ConfigMap": script}}
        await town.patch("v1/configmaps", "argocd-cm", change, "argocd")
        await town.settle()
        assert (await town.app())["status"]["health"]["status"] == health


async def _said_by_the_script(source, values, *, open_libs=False):
    del values, open_libs
    return {"status": source}


@story(files=FILES)
async def test_kinds_that_are_excluded_and_not_in_turn_are_delivered_when_they_are_not(town):
    await town.deploy(automated=False)
    await set_config(town)
    for turn in range(8):
        for kind, listed in ((f"Other{turn}", ["a", "b"]), ("ConfigMap", [])):
            excluded = f'- {{kinds: [{kind}], apiGroups: [""]}}'
            await town.patch("v1/configmaps", "argocd-cm", {"data": {"resource.exclusions": excluded}}, "argocd")
            await town.settle()
            shown = [each["name"] for each in (await town.app())["status"].get("resources", [])]
            assert shown == listed, f"{kind} is excluded"


@story(files=FILES)
async def test_how_often_repositories_are_asked_can_be_changed_while_everything_runs(town):
    await town.deploy()
    await town.synced()
    town.repository.paces.clear()
    await set_config(town, **{"timeout.reconciliation": "30s", "timeout.reconciliation.jitter": "0"})
    await town.settle()
    assert town.repository.paces == [(30.0, 0.0)]
    await town.patch("v1/configmaps", "argocd-cm", {"data": {"admin.enabled": "false"}}, "argocd")
    await town.settle()
    assert len(town.repository.paces) == 1, "nothing is told where nothing of that changed"
    await town.patch("v1/configmaps", "argocd-cm", {"data": {"timeout.reconciliation": "0"}}, "argocd")
    await town.settle()
    assert town.repository.paces[-1] == (NEVER_S, 0.0), "zero is never"


@story(files=FILES)
async def test_submodules_can_be_left_out_while_everything_runs(town):
    def wanted():
        return town.delivery.installation.repositories.choose("https://git.example.org/shop.git", "default").submodules

    await town.settle()
    assert wanted()
    named = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cmd-params-cm"}}
    await town.create("v1/configmaps", {**named, "data": {"reposerver.enable.git.submodule": "false"}}, "argocd")
    await town.settle()
    assert not wanted()
