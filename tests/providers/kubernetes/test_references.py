import pytest

from plumbline.base.errors import Transient

from .bench import CONFIG_MAPS, GROUP, OBJECTS, GroupKind, config_map, serve, story

SOURCE = {"apiVersion": "v1", "kind": "ConfigMap", "name": "source", "namespace": "shop"}


def mark(uid="u-1"):
    return f"kubernetes.crossplane.io/referred-by-object-{uid}"


async def finalizers(bench, name="source"):
    return (await bench.get(CONFIG_MAPS, name))["metadata"].get("finalizers", [])


@story
async def test_values_are_copied_from_what_it_refers_to_and_followed_when_they_change(bench):
    await bench.create(CONFIG_MAPS, config_map("source", host="a"))
    references = [
        {"patchesFrom": {**SOURCE, "fieldPath": "data.host"}, "toFieldPath": "data.endpoint"},
        {"patchesFrom": {**SOURCE, "fieldPath": "data.host"}},
        {"toFieldPath": "data.nothing"},
    ]
    web = bench.resource(forProvider={"manifest": config_map(x="1")}, references=references)
    assert (await web.reconcile()).differences == ()
    assert (await bench.get(CONFIG_MAPS, "web"))["data"] == {"x": "1", "endpoint": "a", "host": "a"}
    await bench.patch(CONFIG_MAPS, "source", {"data": {"host": "b"}})
    assert {each.path for each in (await web.look()).differences} == {"manifest.data.endpoint", "manifest.data.host"}
    assert (await web.reconcile()).differences == ()


@story
async def test_what_it_depends_on_is_waited_for(bench):
    web = bench.resource(forProvider={"manifest": config_map()}, references=[{"dependsOn": SOURCE}])
    with pytest.raises(Transient) as missing:
        await web.look()
    assert "ConfigMap shop/source" in missing.value.what
    await bench.create(CONFIG_MAPS, config_map("source"))
    assert (await web.reconcile()).exists


@story
async def test_a_value_that_is_not_there_yet_is_waited_for(bench):
    await bench.create(CONFIG_MAPS, config_map("source"))
    reference = {"patchesFrom": {**SOURCE, "fieldPath": "data.host"}}
    web = bench.resource(forProvider={"manifest": config_map()}, references=[reference])
    with pytest.raises(Transient):
        await web.look()


@story
async def test_without_more_words_another_object_is_meant(bench):
    await serve(bench, GroupKind(GROUP, "Object"))
    body = {"apiVersion": OBJECTS.api_version, "kind": "Object", "metadata": {"name": "other"},
            "spec": {"forProvider": {"manifest": config_map("inner")}}}  # fmt: skip
    await bench.create(OBJECTS, body, "")
    path = "spec.forProvider.manifest.metadata.name"
    references = [{"patchesFrom": {"name": "other", "fieldPath": path}, "toFieldPath": "data.copied"}]
    web = bench.resource(forProvider={"manifest": config_map()}, references=references)
    assert (await web.reconcile()).differences == ()
    assert (await bench.get(CONFIG_MAPS, "web"))["data"] == {"copied": "inner"}
    assert (await bench.get(OBJECTS, "other", ""))["metadata"]["finalizers"] == [mark()]


@story
async def test_what_it_refers_to_is_kept_until_it_is_gone_itself(bench):
    await bench.create(CONFIG_MAPS, config_map("source"))
    await bench.patch(CONFIG_MAPS, "source", {"metadata": {"finalizers": ["example.org/theirs"]}})
    web = bench.resource(forProvider={"manifest": config_map()}, references=[{"dependsOn": SOURCE}])
    await web.reconcile()
    assert await finalizers(bench) == ["example.org/theirs", mark()]
    await bench.patch(CONFIG_MAPS, "web", {"metadata": {"finalizers": ["example.org/hold"]}})
    assert (await web.leave()).state == "Deleting"
    assert mark() in await finalizers(bench), "while it is going"
    await bench.patch(CONFIG_MAPS, "web", {"metadata": {"finalizers": None}})
    left = await web.look()
    assert (left.exists, left.state) == (True, "Unavailable")
    assert not (await web.leave()).exists
    assert await finalizers(bench) == ["example.org/theirs"]


@story
async def test_a_mark_that_somebody_removed_is_put_back(bench):
    await bench.create(CONFIG_MAPS, config_map("source"))
    web = bench.resource(forProvider={"manifest": config_map()}, references=[{"dependsOn": SOURCE}])
    await web.reconcile()
    await bench.patch(CONFIG_MAPS, "source", {"metadata": {"finalizers": None}})
    assert [each.path for each in (await web.look()).differences] == ["references[ConfigMap shop/source]"]
    assert (await web.reconcile()).differences == ()
    assert await finalizers(bench) == [mark()]


@pytest.mark.parametrize(
    "policy",
    [{"deletionPolicy": "Orphan"}, {"managementPolicies": ["Observe", "Create", "Update"]}, {"managementPolicy": "ObserveCreateUpdate"}],
)  # fmt: skip
@story
async def test_who_will_never_delete_holds_nothing_back(bench, policy):
    """Nobody would ask us to let go of it."""
    await bench.create(CONFIG_MAPS, config_map("source"))
    web = bench.resource(forProvider={"manifest": config_map()}, references=[{"dependsOn": SOURCE}], **policy)
    assert (await web.reconcile()).differences == ()
    assert await finalizers(bench) == []


@story
async def test_a_policy_that_changes_lets_go(bench):
    await bench.create(CONFIG_MAPS, config_map("source"))
    web = bench.resource(forProvider={"manifest": config_map()}, references=[{"dependsOn": SOURCE}])
    await web.reconcile()
    web.spec["deletionPolicy"] = "Orphan"
    assert (await web.reconcile()).differences == ()
    assert await finalizers(bench) == []


@story
async def test_what_it_referred_to_may_be_gone_before_it(bench):
    await bench.create(CONFIG_MAPS, config_map("source"))
    web = bench.resource(forProvider={"manifest": config_map()}, references=[{"dependsOn": SOURCE}])
    await web.reconcile()
    await bench.patch(CONFIG_MAPS, "source", {"metadata": {"finalizers": None}})
    await bench.delete(CONFIG_MAPS, "source")
    assert not (await web.leave()).exists
