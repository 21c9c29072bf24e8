"""What was compared is not compared again while nothing has changed; what changes without a word is."""

import yaml

from .test_ways_of_writing import CRD, WIDGET
from .town import config_map, story

CRDS = "apiextensions.k8s.io/v1/customresourcedefinitions"
WATCHFUL = {
    "sourceRepos": ["*"],
    "destinations": [{"server": "*", "namespace": "*"}],
    "orphanedResources": {"warn": True},
}


async def warnings(town, name="web"):
    return [each["message"] for each in (await town.app(name))["status"].get("conditions", ())]


async def refreshed(town, name="web"):
    change = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}}
    await town.patch("argoproj.io/v1alpha1/applications", name, change, "argocd")
    await town.settle(3)


@story(files={"web/a.yaml": config_map("a"), "else/b.yaml": config_map("b")}, project=WATCHFUL)
async def test_objects_of_nobody_are_noticed_with_the_next_look(town):
    await town.deploy()
    await town.synced()
    assert await warnings(town) == []
    stray = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stray"}}
    await town.create("v1/configmaps", stray, "shop")
    await town.settle(61)
    town.repository.change(else__b_yaml=config_map("b", "2"))
    await town.settle()
    assert await warnings(town) == ["Application has 1 orphaned resources"]


@story(files={"web/a.yaml": config_map("a")}, project=WATCHFUL)
async def test_objects_of_nobody_are_noticed_at_once_where_somebody_asks_to_look_again(town):
    await town.deploy()
    await town.synced()
    await town.create("v1/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stray"}}, "shop")
    await refreshed(town)
    assert await warnings(town) == ["Application has 1 orphaned resources"]


def marked(kind, version, name, tracking):
    metadata = {"name": name, "annotations": {"argocd.argoproj.io/tracking-id": tracking}}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


@story(files={"web/a.yaml": config_map("a")})
async def test_what_is_marked_as_part_of_it_is_found_with_a_refresh_whatever_its_kind(town):
    await town.deploy(automated=False)
    await town.sync()
    await town.synced()
    roles = "rbac.authorization.k8s.io/v1/clusterroles"
    role = marked("ClusterRole", "rbac.authorization.k8s.io/v1", "extra", "web:rbac.authorization.k8s.io/ClusterRole:shop/extra")  # fmt: skip
    await town.create(roles, role)
    await town.create("v1/secrets", marked("Secret", "v1", "extra", "web:/Secret:shop/extra"), "shop")
    await town.create("v1/secrets", marked("Secret", "v1", "copy", "web:/Secret:shop/extra"), "shop")
    await town.create(
        "v1/serviceaccounts", marked("ServiceAccount", "v1", "other", "other:/ServiceAccount:shop/other"), "shop"
    )
    await refreshed(town)
    app = await town.app()
    assert app["status"]["sync"]["status"] == "OutOfSync"
    assert [(each["kind"], each["name"]) for each in app["status"]["resources"]] == [
        ("ConfigMap", "a"),
        ("Secret", "extra"),
        ("ClusterRole", "extra"),
    ]
    await town.sync(prune=True)
    await town.synced()
    assert await town.get(roles, "extra", "") is None
    assert await town.get("v1/secrets", "copy") is not None


@story(files={"web/a.yaml": config_map("a")})
async def test_refreshes_of_many_look_outside_of_namespaces_now_and_then(town):
    await town.deploy(automated=False)
    await town.sync()
    await town.synced()
    await refreshed(town)
    tracking = "web:rbac.authorization.k8s.io/ClusterRole:shop/extra"
    await town.create(
        "rbac.authorization.k8s.io/v1/clusterroles",
        marked("ClusterRole", "rbac.authorization.k8s.io/v1", "extra", tracking),
    )
    await refreshed(town)
    assert (await town.app())["status"]["sync"]["status"] == "Synced"
    await town.settle(10)
    await refreshed(town)
    assert (await town.app())["status"]["sync"]["status"] == "OutOfSync"


@story(files={"web/widget.yaml": WIDGET, "else/b.yaml": config_map("b")})
async def test_a_kind_is_known_as_soon_as_somebody_serves_it(town):
    await town.deploy()
    await town.settle()
    await town.create(CRDS, yaml.safe_load(CRD))
    await town.settle()
    await town.sync()
    await town.synced()
    assert (await town.get("shop.example.org/v1/widgets", "one"))["spec"] == {"size": 3}


@story(files={"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")})
async def test_what_another_asks_for_since_is_anothers(town):
    await town.deploy(syncPolicy={"automated": {}})
    await town.synced()
    town.repository.change(web__b_yaml=None)
    await town.settle()
    assert (await town.app())["status"]["sync"]["status"] == "OutOfSync"
    town.repository.change(other__b_yaml=config_map("b", "2"))
    await town.deploy("other")
    await town.settle()
    town.repository.change(else__c_yaml=config_map("c"))
    await town.settle()
    assert await warnings(town) == ["ConfigMap/shop/b is marked as part of it, and is what other delivers"]
