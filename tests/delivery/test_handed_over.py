"""Manifests that somebody brings along for a sync: they count until the next one, and it is said that they do."""

from plumbline.base.json import encode

from .test_as_asked import ended
from .town import config_map, story

OTHER = encode(
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"value": "by hand"}}
).decode()
WARNING = "LocalManifestsWarning"


async def value(town):
    return (await town.get("v1/configmaps", "a"))["data"]["value"]


def conditions(app):
    return {each["type"] for each in app["status"].get("conditions") or ()}


@story(files={"web/a.yaml": config_map("a")})
async def test_the_application_is_compared_with_them_until_the_next_sync(town):
    await town.deploy(automated=False)
    await town.sync()
    first = await ended(town)
    await town.sync(manifests=[OTHER])
    second = await ended(town, first["startedAt"])
    await town.settle(5)
    app = await town.app()
    assert (await value(town), app["status"]["sync"]["status"]) == ("by hand", "Synced")
    assert conditions(app) == {WARNING}
    town.repository.change(web__a_yaml=config_map("a", "9"))
    await town.settle(300)
    assert (await town.app())["status"]["sync"]["status"] == "Synced", "Git counts again once somebody syncs"
    await town.sync()
    await ended(town, second["startedAt"])
    await town.settle(5)
    app = await town.app()
    assert (await value(town), app["status"]["sync"]["status"], conditions(app)) == ("9", "Synced", set())


@story(files={"web/a.yaml": config_map("a")})
async def test_a_rehearsal_of_them_leaves_the_comparison_with_git(town):
    await town.deploy(automated=False)
    await town.sync()
    first = await ended(town)
    await town.sync(manifests=[OTHER], dryRun=True)
    assert (await ended(town, first["startedAt"]))["phase"] == "Succeeded"
    await town.settle(5)
    app = await town.app()
    assert (await value(town), app["status"]["sync"]["status"], conditions(app)) == ("1", "Synced", set())


@story(files={"web/a.yaml": config_map("a")})
async def test_once_it_is_automated_git_counts(town):
    await town.deploy(automated=False)
    await town.sync(manifests=[OTHER])
    await ended(town)
    await town.patch(
        "argoproj.io/v1alpha1/applications",
        "web",
        {"spec": {"syncPolicy": {"automated": {"selfHeal": True}}}},
        "argocd",
    )
    await town.settle(60)
    assert await value(town) == "1"
