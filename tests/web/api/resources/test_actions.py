"""Actions: which an object offers, who may run them, and what they may do."""

from urllib.parse import urlencode

import pytest
from tests.web.api.resources.scene import config_map, deployment, secret, told

from plumbline.base.json import decode

FILES = {"web/a.yaml": deployment(), "web/c.yaml": config_map("web"), "web/s.yaml": secret()}
DEPLOYMENT = {"group": "apps", "kind": "Deployment", "version": "v1", "namespace": "shop", "resourceName": "web"}
CONFIG = {"group": "", "kind": "ConfigMap", "version": "v1", "namespace": "shop", "resourceName": "web"}
ACTIONS = """
discovery.lua: |
  discover
definitions:
- name: bend
  action.lua: bend
"""


def at(parts):
    return "?" + urlencode(parts)


async def custom(scene, **scripts):
    body = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "argocd-cm"}, "data": {"resource.customizations.actions.ConfigMap": ACTIONS}}  # fmt: skip
    await scene.place.create("v1/configmaps", body, "argocd")
    await scene.place.settle(1)
    scene.lua.scripts = {"discover\n": lambda _: {"bend": {"iconClass": "fa", "params": [{"name": "how"}]}}, **scripts}


@told(files=FILES)
async def test_a_deployment_offers_what_upstream_has_it_offer(scene):
    found = await scene.json("resource/actions" + at(DEPLOYMENT), who="rita")
    assert [(each["name"], each.get("disabled", False)) for each in found["actions"]] == [
        ("pause", False),
        ("restart", False),
        ("resume", True),
        ("scale", False),
    ]
    assert found["actions"][3]["params"] == [{"name": "replicas"}]
    assert await scene.json("resource/actions" + at(CONFIG)) == {}


@told(files=FILES)
async def test_a_restart_is_run_by_who_may_and_by_nobody_else(scene):
    refused = await scene.ask("POST", "resource/actions" + at(DEPLOYMENT), "restart", who="rita")
    assert refused.status == 403
    assert (await scene.ask("POST", "resource/actions" + at(DEPLOYMENT), "pause", who="walt")).status == 403
    done = await scene.ask("POST", "resource/actions" + at(DEPLOYMENT), "restart", who="walt")
    assert (done.status, done.json) == (200, {})
    live = await scene.place.get("apps/v1/deployments", "web")
    assert live["spec"]["template"]["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"].endswith("Z")


@told(files=FILES)
async def test_scaling_takes_a_number(scene):
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", {"spec": {"syncPolicy": None}}, "argocd")
    for said, status in (("3", 200), ("-1", 400), ("many", 400), ("10001", 400)):
        body = {**DEPLOYMENT, "action": "scale", "resourceActionParameters": [{"name": "replicas", "value": said}]}
        assert (await scene.ask("POST", "resource/actions/v2", body, who="olga")).status == status, said
    assert (await scene.place.get("apps/v1/deployments", "web"))["spec"]["replicas"] == 3


@told(files=FILES)
async def test_what_is_so_already_is_not_done_and_what_is_unknown_is_not_found(scene):
    for action, status in (("resume", 400), ("explode", 404), ("", 400), ("a/b", 400), ("x" * 300, 400)):
        answered = await scene.ask("POST", "resource/actions" + at(DEPLOYMENT), action)
        assert answered.status == status, action


@told(files=FILES)
async def test_the_application_itself_has_actions(scene):
    itself = {
        "group": "argoproj.io",
        "kind": "Application",
        "version": "v1alpha1",
        "namespace": "argocd",
        "resourceName": "web",
    }
    found = await scene.json("resource/actions" + at(itself))
    assert [each["name"] for each in found["actions"]] == ["toggle-auto-sync"]
    assert (await scene.ask("POST", "resource/actions" + at(itself), "toggle-auto-sync")).status == 200
    assert (await scene.place.app())["spec"]["syncPolicy"]["automated"]["enabled"] is False


@told(files=FILES)
async def test_settings_say_more_in_lua(scene):
    def bend(variables):
        obj = variables["obj"]
        return {**obj, "data": {**obj["data"], "bent": variables["actionParams"]["how"]}}

    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", {"spec": {"syncPolicy": None}}, "argocd")
    await custom(scene, bend=bend)
    found = await scene.json("resource/actions" + at(CONFIG))
    assert found == {"actions": [{"name": "bend", "params": [{"name": "how"}], "iconClass": "fa"}]}
    body = {**CONFIG, "action": "bend", "resourceActionParameters": [{"name": "how", "value": "double"}]}
    assert (await scene.ask("POST", "resource/actions/v2", body)).status == 200
    assert (await scene.place.get("v1/configmaps", "web"))["data"]["bent"] == "double"


def _other(variables):
    return {**variables["obj"], "metadata": {**variables["obj"]["metadata"], "name": "other"}}


def _made(namespace, kind="ConfigMap", version="v1"):
    obj = {"apiVersion": version, "kind": kind, "metadata": {"name": "made", "namespace": namespace}}
    return lambda _: [{"operation": "create", "resource": obj}]


OUTCOMES = [
    (_other, 403, "it may change the object that it is run on, no other"),
    (_made("argocd"), 403, "the project does not permit the namespace"),
    (_made("shop", "Nonsense", "example.org/v1"), 404, "the cluster has no such kind"),
    (_made("shop"), 200, "the project permits it"),
    (lambda _: [{"operation": "delete", "resource": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "b"}}}], 400, "only patch and create are known"),
    (lambda _: "nonsense", 500, "it gives no object"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "status", "why"), OUTCOMES, ids=[each[2] for each in OUTCOMES])
def test_what_a_script_makes_stays_within_what_the_project_permits(script, status, why):
    @told(files=FILES)
    async def main(scene):
        await scene.project(destinations=[{"server": "*", "namespace": "shop"}])
        await custom(scene, bend=script)
        answered = await scene.ask("POST", "resource/actions" + at(CONFIG), "bend")
        assert answered.status == status, answered.body
        assert bool(await scene.place.get("v1/configmaps", "made")) is (status == 200)
        assert not await scene.place.get("v1/configmaps", "made", "argocd")

    main()


@told(files=FILES)
async def test_a_query_with_too_many_parameters_is_refused(scene):
    many = [{"name": str(at_), "value": ""} for at_ in range(40)]
    body = {**DEPLOYMENT, "action": "scale", "resourceActionParameters": many}
    assert (await scene.ask("POST", "resource/actions/v2", body)).status == 400
    assert decode((await scene.ask("POST", "resource/actions/v2", {"action": "restart"})).body)["code"] == 3
