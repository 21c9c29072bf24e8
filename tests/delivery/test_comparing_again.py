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
    refresh = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", refresh, "argocd")
    await town.settle(3)
    assert await warnings(town) == ["Application has 1 orphaned resources"]


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
