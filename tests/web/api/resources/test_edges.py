"""What goes wrong at the edges: clusters that may not be, scripts with a status, writes that are only rehearsed."""

import pytest
from tests.web.api.resources.scene import config_map, deployment, told

from plumbline.base.errors import InvalidInput, NotFound, Unreachable
from plumbline.gate.gate import DryRun
from plumbline.kube.names import Ref
from plumbline.web.api.resources import groves
from plumbline.web.api.resources.writing import Discreet

FILES = {"web/a.yaml": deployment(), "web/c.yaml": config_map("web")}
CONFIG = "?kind=ConfigMap&version=v1&namespace=shop&resourceName=web"


@told(files=FILES)
async def test_an_application_that_is_where_it_may_not_be_shows_nothing(scene):
    """Row 20: the same check as the controller's."""
    await scene.project(destinations=[{"server": "*", "namespace": "elsewhere"}])
    for tail in ("resource-tree", "managed-resources", "diff", "plan", "manifests", "logs", "resource" + CONFIG):
        assert (await scene.ask("GET", tail)).status == 403, tail


@told(files=FILES)
async def test_objects_are_read_as_the_account_that_the_project_names(scene):
    settings = {"application.sync.impersonation.enabled": "true"}
    body = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "argocd-cm"}, "data": settings}
    await scene.place.create("v1/configmaps", body, "argocd")
    await scene.place.settle(1)
    assert (await scene.ask("GET", "resource" + CONFIG)).status == 403
    account = {"server": "*", "namespace": "*", "defaultServiceAccount": "deployer"}
    await scene.project(destinationServiceAccounts=[account])
    users = []
    client = scene.place.client.__class__
    impersonating = client.impersonating

    def remembered(self, user, **more):
        users.append(user)
        return impersonating(self, user, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "impersonating", remembered)
        await scene.ask("GET", "resource" + CONFIG)
    assert users == ["system:serviceaccount:shop:deployer"]


@told(files=FILES)
async def test_a_deletion_can_be_rehearsed(scene):
    gate = scene.place.delivery.parts.gate
    gate._back_end = DryRun()
    assert (await scene.ask("DELETE", "resource" + CONFIG)).status == 200
    assert await scene.place.get("v1/configmaps", "web")


class Failing:
    async def perform(self):
        raise NotFound("password hunter2 is not there")

    rehearse = perform


async def test_what_fails_about_a_secret_is_not_told():
    act = Discreet(Failing(), Ref("", "Secret", "shop", "key"))
    for tried in (act.perform, act.rehearse):
        with pytest.raises(InvalidInput) as told_:
            await tried()
        assert "hunter2" not in str(told_.value)
        assert told_.value.__suppress_context__


@told(files=FILES)
async def test_a_script_may_change_the_status(scene):
    actions = "discovery.lua: |\n  discover\ndefinitions:\n- name: mark\n  action.lua: mark\n- name: rest\n  action.lua: rest\n- name: both\n  action.lua: both\n"
    body = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "argocd-cm"}, "data": {"resource.customizations.actions.apps_Deployment": actions}}  # fmt: skip
    await scene.place.create("v1/configmaps", body, "argocd")
    await scene.place.settle(1)

    def mark(variables):
        obj = variables["obj"]
        return {**obj, "status": {**obj["status"], "observedGeneration": 7}}

    def both(variables):
        obj = variables["obj"]
        return {**obj, "spec": {**obj["spec"], "paused": True}, "status": {**obj["status"], "observedGeneration": 8}}

    scene.lua.scripts = {"mark": mark, "rest": lambda variables: variables["obj"], "both": both}
    where = "resource/actions?kind=Deployment&group=apps&version=v1&namespace=shop&resourceName=web"
    assert (await scene.ask("POST", where, "mark")).status == 200
    assert (await scene.ask("POST", where, "rest")).status == 200
    page = await scene.place.journal.page(limit=50)
    assert len([each for each in page.entries if each.actor.kind == "person" and each.kind == "performed"]) == 1
    assert (await scene.ask("POST", where, "both")).status == 200
    assert (await scene.place.get("apps/v1/deployments", "web"))["spec"]["paused"] is True


@told(files=FILES)
async def test_history_goes_on_where_commits_and_renders_cannot_be_had(scene):
    async def failing(*_, **__):
        raise Unreachable("away")

    scene.origins.commits.commit = failing
    scene.looking.target = failing
    (entry,) = (await scene.json("history?images=true"))["items"]
    assert entry["commits"] == []
    assert "images" not in entry
    scene.describes = scene.renders = False
    (entry,) = (await scene.json("history?images=true"))["items"]
    assert entry["images"] == ["nginx:1"]


@told(files=FILES)
async def test_hosts_that_may_not_be_read_are_left_out(scene):
    async def failing(*_):
        raise Unreachable("away")

    tree = await groves.tree_of(scene.client, await scene.place.app())
    client = type("Away", (), {"get": failing})()
    assert await groves._hosts(client, tree, ()) == []
