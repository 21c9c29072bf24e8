"""Outputs become values, and a change of them reaches exactly who uses them."""

import base64

import pytest
from tests.delivery.founding import CRDS
from tests.delivery.town import application, story

from plumbline.base.json import encode
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kube.client import Target

from .charts import TERRAFORMS, chart, config_map, secret, taking, with_charts

APPS = "argoproj.io/v1alpha1/applications"
CHART = chart("${outputs.net.vpc}")
OTHER = {path.replace("web/", "other/"): text.replace('"web"', '"other"') for path, text in CHART.items()}
THIRD = {path.replace("web/", "third/"): text.replace('"web"', '"third"') for path, text in CHART.items()}


def looks_at(town):
    looked = []
    town.delivery.controller.looked = lambda key, took_s: looked.append(key[1])
    return looked


async def value(town, name="web"):
    found = await town.get("v1/configmaps", name)
    return found and found["data"]["value"]


async def until_value(town, expected, name="web"):
    async def so():
        return await value(town, name) == expected

    await town.until(so)


async def condition(town, kind="ComparisonError", name="web"):
    async def told():
        status = (await town.app(name) or {}).get("status", {})
        return next((each["message"] for each in status.get("conditions", ()) if each["type"] == kind), None)

    return await town.until(told)


@story(files={**CHART, **OTHER, **THIRD})
async def test_a_change_of_outputs_renders_exactly_who_uses_them_once(town):
    charts = with_charts(town)
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1"), "shop")
    await town.create("v1/configmaps", config_map("elsewhere", vpc="vpc-9"), "shop")
    await town.deploy("web", metadata=taking("configmap/net"))
    await town.deploy("other", metadata=taking("configmap/elsewhere"))
    await town.deploy("third")
    for name in ("web", "other", "third"):
        await town.synced(name)
    assert await value(town) == "vpc-1"
    charts.rendered.clear()
    looked = looks_at(town)
    await town.patch("v1/configmaps", "net", {"data": {"vpc": "vpc-2"}})
    await until_value(town, "vpc-2")
    await town.settle()
    assert charts.rendered == ["web"]
    assert looked == ["web"]
    assert (await town.app())["status"]["sync"]["status"] == "Synced"


@story(files=CHART)
async def test_what_nobody_takes_of_an_object_is_no_news(town):
    charts = with_charts(town)
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1", zone="a"), "shop")
    await town.deploy(metadata=taking("[{from: configmap/net, keys: [vpc]}]"))
    await town.synced()
    before = await town.app()
    charts.rendered.clear()
    looked = looks_at(town)
    await town.patch("v1/configmaps", "net", {"metadata": {"annotations": {"a": "b"}}})
    await town.patch("v1/configmaps", "net", {"data": {"zone": "b"}})
    await town.settle(60)
    assert (charts.rendered, looked) == ([], [])
    await town.patch(APPS, "web", {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}}, "argocd")
    await town.settle()
    assert charts.rendered == []
    assert (await town.app())["status"]["operationState"] == before["status"]["operationState"]


@story(files=CHART)
async def test_outputs_are_synced_once_where_nobody_asked_for_healing(town):
    """New outputs are new work, as a commit is; drift is still left alone."""
    with_charts(town)
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1"), "shop")
    await town.deploy(metadata=taking("configmap/net"), automated={"prune": True})
    await town.synced()
    await town.patch("v1/configmaps", "net", {"data": {"vpc": "vpc-2"}})
    await until_value(town, "vpc-2")
    info = (await town.app())["status"]["operationState"]["operation"]["info"]
    assert [each["name"] for each in info] == ["plumbline.dev/values-from"]
    assert info[0]["value"].startswith("configmap/shop/net@")
    await town.patch("v1/configmaps", "web", {"data": {"value": "by hand"}})
    await town.settle(60)
    assert await value(town) == "by hand"


@story(files=CHART)
async def test_a_missing_object_is_waited_for_and_nothing_is_pruned(town):
    with_charts(town)
    await town.deploy(metadata=taking("configmap/net"))
    assert await condition(town) == (
        "Waiting for values: ConfigMap shop/net is not there, and no Terraform object writes it"
    )
    assert await value(town) is None
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1"), "shop")
    await until_value(town, "vpc-1")
    await town.synced()
    await town.delete("v1/configmaps", "net")
    await condition(town)
    await town.settle(300)
    assert await value(town) == "vpc-1"
    assert (await town.app())["status"]["sync"]["status"] == "Unknown"
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1"), "shop")
    app = await town.synced()
    assert "conditions" not in app["status"]


@story(files=CHART)
async def test_a_missing_key_is_named_and_an_optional_object_may_be_missing(town):
    with_charts(town)
    await town.create("v1/configmaps", config_map("net", zone="a"), "shop")
    await town.deploy(metadata=taking("[{from: configmap/net, keys: [vpc, zone]}]"))
    assert await condition(town) == "Waiting for values: ConfigMap shop/net has no vpc"
    changed = taking("[{from: configmap/net, keys: [vpc], optional: true}, {from: secret/none, optional: true}]")
    await town.patch(APPS, "web", {"metadata": changed}, "argocd")
    await until_value(town, "")
    await town.create("v1/secrets", secret("none", vpc="late"), "shop")
    await town.patch("v1/configmaps", "net", {"data": {"vpc": "vpc-1"}})
    await until_value(town, "vpc-1")


@story(files=CHART)
async def test_a_sync_that_is_asked_for_while_values_are_missing_ends_and_is_made_good_later(town):
    with_charts(town)
    await town.deploy(metadata=taking("configmap/net"))
    await condition(town)
    await town.sync()

    async def ended():
        return ((await town.app())["status"].get("operationState") or {}).get("phase") == "Error"

    await town.until(ended)
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1"), "shop")
    await until_value(town, "vpc-1")


@story(files={**CHART, **OTHER})
async def test_what_is_used_is_watched_and_nothing_else(town):
    with_charts(town)
    following = town.delivery.following
    await town.deploy("web")
    await town.synced()
    assert following.places == frozenset()
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1"), "shop")
    await town.deploy("other", metadata=taking("configmap/net"))
    await town.patch(APPS, "web", {"metadata": taking("configmap/net")}, "argocd")
    await until_value(town, "vpc-1", "web")
    await until_value(town, "vpc-1", "other")
    assert {str(each) for each in following.places} == {"ConfigMap shop/net"}
    await town.patch(APPS, "web", {"metadata": {"annotations": None}}, "argocd")
    await town.settle()
    assert len(following.places) == 1
    await town.delete(APPS, "other", "argocd")
    await town.settle()
    assert following.places == frozenset()


@story(files={"web/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {value: plain}\n"})
async def test_plain_manifests_take_no_values_and_say_so(town):
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1"), "shop")
    await town.deploy(metadata=taking("configmap/net"))
    assert "has no effect: plain manifests take no values" in await condition(town, "ValuesFromWarning")
    await town.synced()
    assert await value(town) == "plain"
    await town.patch("v1/configmaps", "net", {"data": {"vpc": "vpc-2"}})
    await town.settle()
    assert town.renderer.counts.renders == 1


@story(files=CHART)
async def test_an_object_that_cannot_be_watched_is_said_to_be_so(town):
    """There is no such kind on this cluster."""
    with_charts(town)
    await town.deploy(metadata=taking("terraform/networking"))
    message = await condition(town)
    assert message.startswith("Terraform shop/networking cannot be read: ")


async def served(town):
    await town.client.create(Target(CRDS), encode(crd_manifest(TERRAFORM)))
    await town.settle(2)


def terraform(name="networking", **spec):
    return {
        "apiVersion": "infra.contrib.fluxcd.io/v1alpha2",
        "kind": "Terraform",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"interval": "10m", "sourceRef": {"kind": "GitRepository", "name": "infra"}, **spec},
    }


def written_by(owner, obj):
    reference = {"apiVersion": owner["apiVersion"], "kind": "Terraform", "name": owner["metadata"]["name"],
                 "uid": owner["metadata"]["uid"]}  # fmt: skip
    return {**obj, "metadata": {**obj["metadata"], "ownerReferences": [reference]}}


@story(files=chart("${outputs.networking.vpc} ${outputs.networking.count}"))
async def test_a_terraform_object_stands_for_what_it_writes(town):
    charts = with_charts(town)
    await served(town)
    await town.deploy(metadata=taking("terraform/networking"))
    assert await condition(town) == "Waiting for values: Terraform shop/networking is not there"
    made = await town.create(TERRAFORMS, terraform(), "shop")

    async def nowhere():
        return "writes its outputs nowhere" in await condition(town)

    await town.until(nowhere)
    await town.patch(TERRAFORMS, "networking", {"spec": {"writeOutputsToSecret": {"name": "net"}}})

    async def applied():
        return "until Terraform shop/networking has been applied" in await condition(town)

    await town.until(applied)
    outputs = written_by(made, secret("net", vpc="vpc-1", count="3", count__type='"number"'))
    await town.create("v1/secrets", outputs, "shop")
    await until_value(town, "vpc-1 3")
    charts.rendered.clear()
    await town.patch(TERRAFORMS, "networking", {"spec": {"interval": "20m"}})
    await town.settle()
    assert charts.rendered == []
    await town.patch("v1/secrets", "net", {"data": {"vpc": base64.b64encode(b"vpc-2").decode()}})
    await until_value(town, "vpc-2 3")


@story(files=CHART)
async def test_what_a_terraform_object_names_and_did_not_write_is_not_taken(town):
    with_charts(town)
    await served(town)
    await town.create("v1/secrets", secret("theirs", vpc="vpc-1"), "shop")
    await town.create(TERRAFORMS, terraform(writeOutputsToSecret={"name": "theirs"}), "shop")
    await town.deploy(metadata=taking("terraform/networking"))
    assert "it is not what Terraform shop/networking has written" in await condition(town)


@story(files=CHART)
async def test_who_writes_a_missing_object_is_named(town):
    with_charts(town)
    await served(town)
    await town.create(TERRAFORMS, terraform("nothing"), "shop")
    await town.create(TERRAFORMS, terraform(writeOutputsToSecret={"name": "net"}), "shop")
    await town.deploy(metadata=taking("secret/net"))
    told = "Secret shop/net is not there until Terraform shop/networking has been applied"
    assert await condition(town) == f"Waiting for values: {told}"


DENYING = {
    "sourceRepos": ["*"],
    "destinations": [{"server": "*", "namespace": "*"}],
    "namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}],
}


@story(files=CHART, project=DENYING)
async def test_a_project_that_denies_secrets_denies_their_values(town):
    with_charts(town)
    await town.create("v1/secrets", secret("net", vpc="vpc-1"), "shop")
    await town.deploy(metadata=taking("secret/net"))
    assert await condition(town) == (
        "Values are not taken from Secret shop/net: project default does not permit it: "
        "it is not in the destination's namespace, or such objects are not allowed there"
    )
    allowed = {"metadata": {"annotations": {"plumbline.dev/values-from": "secret/shop/*"}}}
    await town.patch("argoproj.io/v1alpha1/appprojects", "default", allowed, "argocd")
    await until_value(town, "vpc-1")
    assert len(town.delivery.following.places) == 1
    await town.patch("argoproj.io/v1alpha1/appprojects", "default", {"metadata": {"annotations": None}}, "argocd")
    await condition(town)
    assert town.delivery.following.places == frozenset()
    assert await value(town) == "vpc-1"


@pytest.mark.parametrize("namespace", ["argocd", "platform"])
def test_secrets_of_others_are_not_read(namespace):
    @story(files=CHART)
    async def told(town):
        with_charts(town)
        if namespace == "platform":
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "platform"}}
            await town.create("v1/namespaces", body)
        await town.create("v1/secrets", secret("net", namespace, vpc="vpc-1"), namespace)
        where = namespace if namespace == "argocd" else "shop"
        metadata = taking(f"secret/{namespace}/net")
        await town.create(APPS, application("web", metadata=metadata, namespace=where), "argocd")
        assert "Values are not taken from Secret" in await condition(town)
        assert town.delivery.following.places == frozenset()
        allowed = {"metadata": {"annotations": {"plumbline.dev/values-from": f"secret/{namespace}/net"}}}
        await town.patch("argoproj.io/v1alpha1/appprojects", "default", allowed, "argocd")

        async def there():
            found = await town.get("v1/configmaps", "web", where)
            return found and found["data"]["value"] == "vpc-1"

        await town.until(there)

    told()
