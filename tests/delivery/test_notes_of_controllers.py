"""Kubernetes' own controllers note things on objects that they look after. That is no reason to look at an application."""

import pytest

from .town import config_map, story

NOTE = "deployment.kubernetes.io/revision"
FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b", **{NOTE: "7"})}


async def looks_after(town, name, change):
    await town.deploy()
    await town.synced()
    await town.settle()
    looks = []
    town.delivery.controller.looked = lambda key, took_s: looks.append(key)
    await town.patch("v1/configmaps", name, change)
    await town.settle()
    return len(looks)


@story(files=FILES)
async def test_a_note_of_a_controller_is_no_news(town):
    assert await looks_after(town, "a", {"metadata": {"annotations": {NOTE: "1"}}}) == 0


@story(files=FILES)
async def test_a_note_that_git_asks_for_is_put_right(town):
    assert await looks_after(town, "b", {"metadata": {"annotations": {NOTE: "8"}}}) > 0
    assert (await town.get("v1/configmaps", "b"))["metadata"]["annotations"][NOTE] == "7"


@story(files=FILES)
async def test_what_changes_beside_a_note_is_put_right(town):
    change = {"metadata": {"annotations": {NOTE: "1"}}, "data": {"value": "by hand"}}
    assert await looks_after(town, "a", change) > 0
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}


@pytest.mark.parametrize(
    "name",
    ["argocd.argoproj.io/sync-options", "kubectl.kubernetes.io/last-applied-configuration", "example.org/x", "x"],
)
def test_notes_of_anybody_else_are_looked_at(name):
    @story(files=FILES)
    async def told(town):
        assert await looks_after(town, "a", {"metadata": {"annotations": {name: "{}"}}}) > 0

    told()


@story(files=FILES)
async def test_a_note_on_what_differs_anyway_is_looked_at(town):
    await town.deploy(syncPolicy={})
    await town.sync()
    await town.settle()
    await town.patch("v1/configmaps", "a", {"data": {"value": "by hand"}})
    await town.settle()
    looks = []
    town.delivery.controller.looked = lambda key, took_s: looks.append(key)
    await town.patch("v1/configmaps", "a", {"metadata": {"annotations": {NOTE: "1"}}})
    await town.settle()
    assert looks


@story(files=FILES)
async def test_settings_may_say_that_everything_is_news(town):
    settings = {"metadata": {"name": "argocd-cm"}, "data": {"resource.ignoreResourceUpdatesEnabled": "false"}}
    await town.create("v1/configmaps", settings, "argocd")
    await town.settle()
    assert await looks_after(town, "a", {"metadata": {"annotations": {NOTE: "1"}}}) > 0
