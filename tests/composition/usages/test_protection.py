"""What is used stays while it is used, and goes when it may."""

import asyncio

import pytest
from tests.composition.works import condition, message, state

from plumbline.base.errors import Transient
from plumbline.kinds.mandate import MandateSpec

from .stage import (
    CLUSTER_USAGES,
    HOOKS,
    LEGACY,
    MAPS,
    REACHED,
    ROLES,
    USAGES,
    a_map,
    a_role,
    config_map,
    labelled,
    role,
    story,
    usage,
)

ATTEMPT = "usage.crossplane.io/deletion-attempt-with-policy"
FINALIZER = "usage.apiextensions.crossplane.io"
COMPOSED = {"crossplane.io/composite": "orders"}


@story
async def test_what_is_in_use_is_not_deleted(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="the till reads it"))
    configured = await stage.ready(USAGES, "keeps")
    assert condition(configured, "Ready")["reason"] == "Available"
    assert configured["metadata"]["finalizers"] == [FINALIZER]
    assert configured["metadata"]["annotations"]["crossplane.io/usage-details"] == "the till reads it"
    assert labelled(await stage.get(MAPS, "used"))
    with pytest.raises(Transient) as refused:
        await stage.delete(MAPS, "used", propagation="Foreground")
    told = 'This resource is in-use by 1 usage(s), including the *v1beta1.Usage "keeps" (in namespace "shop") with reason: "the till reads it".'
    assert refused.value.why == f'admission webhook "nousages.protection.crossplane.io" denied the request: {told}'
    assert (await stage.get(MAPS, "used"))["metadata"]["annotations"][ATTEMPT] == "Foreground"
    assert await stage.events("keeps") == [("UsageConfigured", "Normal")]


@story
async def test_a_usage_that_goes_lets_go(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    await stage.ready(USAGES, "keeps")
    assert await stage.refused(MAPS, "used")
    await stage.delete(USAGES, "keeps")
    await stage.gone(USAGES, "keeps")
    await asyncio.sleep(10)
    assert not labelled(await stage.get(MAPS, "used")), "nobody asked for its deletion to be tried again"
    assert not await stage.refused(MAPS, "used")
    await stage.gone(MAPS, "used")


@story
async def test_the_last_of_several_lets_go(stage):
    await stage.create(ROLES, role("used"))
    await stage.create(CLUSTER_USAGES, usage("one", CLUSTER_USAGES, of=a_role("used"), reason="one"))
    await stage.create(LEGACY, usage("two", LEGACY, of=a_role("used"), reason="two"))
    await stage.ready(CLUSTER_USAGES, "one")
    await stage.ready(LEGACY, "two")
    assert 'by 2 usage(s), including the *v1beta1.ClusterUsage "one"' in await stage.refused(ROLES, "used")
    await stage.delete(CLUSTER_USAGES, "one")
    await stage.gone(CLUSTER_USAGES, "one")
    assert 'by 1 Usage(s), including the Usage "two" with reason: "two".' in await stage.refused(ROLES, "used")
    await stage.delete(LEGACY, "two")
    await stage.gone(LEGACY, "two")
    assert not await stage.refused(ROLES, "used")


@story
async def test_usages_that_go_at_once_leave_no_label(stage):
    await stage.create(MAPS, config_map("used"))
    for name in ("one", "two", "three"):
        await stage.create(USAGES, usage(name, of=a_map("used"), reason="so"))
        await stage.ready(USAGES, name)
    await asyncio.gather(*(stage.delete(USAGES, name) for name in ("one", "two", "three")))
    for name in ("one", "two", "three"):
        await stage.gone(USAGES, name)
    assert not labelled(await stage.get(MAPS, "used"))


@story
async def test_a_deletion_that_was_refused_is_replayed(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so", replayDeletion=True))
    await stage.ready(USAGES, "keeps")
    assert await stage.refused(MAPS, "used", propagation="Orphan")
    await stage.delete(USAGES, "keeps")
    await stage.gone(USAGES, "keeps")
    await stage.gone(MAPS, "used", within_s=5)
    assert ("ReplayDeletion", "Normal") in await stage.events("keeps")


@story
async def test_what_nobody_wanted_deleted_is_not(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so", replayDeletion=True))
    await stage.ready(USAGES, "keeps")
    await stage.delete(USAGES, "keeps")
    await stage.gone(USAGES, "keeps")
    await asyncio.sleep(10)
    assert await stage.get(MAPS, "used")


@story
async def test_a_deletion_is_not_replayed_while_somebody_else_uses_it(stage):
    await stage.create(MAPS, config_map("used"))
    for name in ("one", "two"):
        await stage.create(USAGES, usage(name, of=a_map("used"), reason="so", replayDeletion=True))
        await stage.ready(USAGES, name)
    assert await stage.refused(MAPS, "used")
    await stage.delete(USAGES, "one")
    await stage.gone(USAGES, "one")
    await asyncio.sleep(10)
    assert labelled(await stage.get(MAPS, "used"))
    await stage.delete(USAGES, "two")
    await stage.gone(MAPS, "used")


@story
async def test_a_usage_goes_with_what_uses(stage):
    await stage.create(MAPS, config_map("used"))
    using = await stage.create(MAPS, config_map("using"))
    await stage.create(USAGES, usage(of=a_map("used"), by=a_map("using")))
    ready = await stage.ready(USAGES, "keeps")
    assert ready["metadata"]["ownerReferences"] == [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "using", "uid": using["metadata"]["uid"]}
    ]
    assert ready["metadata"]["annotations"]["crossplane.io/usage-details"] == "ConfigMap/using uses ConfigMap/used"
    assert 'Usage "keeps" (in namespace "shop") by resource ConfigMap/using.' in await stage.refused(MAPS, "used")
    await stage.delete(MAPS, "using")
    await stage.gone(USAGES, "keeps")
    assert not await stage.refused(MAPS, "used")


@story
async def test_a_composed_usage_waits_for_what_uses(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(MAPS, config_map("using", finalizers=["example.org/slow"]))
    await stage.create(USAGES, usage(metadata={"labels": COMPOSED}, of=a_map("used"), by=a_map("using")))
    await stage.ready(USAGES, "keeps")
    await stage.delete(USAGES, "keeps")
    await stage.delete(MAPS, "using")
    waiting = await stage.ready(USAGES, "keeps", "False", "WaitingUsingDeleted")
    told = 'Waiting for the using resource (which is a "ConfigMap" named "using") to be deleted.'
    assert message(waiting, "Ready") == told
    await asyncio.sleep(120)
    assert await stage.refused(MAPS, "used"), "it is used until what uses it is gone"
    await stage.patch(MAPS, "using", {"metadata": {"finalizers": None}})
    await stage.gone(USAGES, "keeps", within_s=31)
    assert not labelled(await stage.get(MAPS, "used"))
    assert (await stage.events("keeps")).count(("WaitingUsingDeleted", "Normal")) == 1


@story
async def test_selectors_are_resolved_once_and_written_down(stage):
    owner = await stage.create(MAPS, config_map("owner"))
    controller = {
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"], "controller": True
    }  # fmt: skip
    await stage.create(MAPS, config_map("a-stranger", labels={"role": "store"}))
    await stage.create(MAPS, config_map("our-own", labels={"role": "store"}, ownerReferences=[controller]))
    await stage.create(MAPS, config_map("using", labels={"role": "till"}))
    of = a_map(matchLabels={"role": "store"}, matchControllerRef=True)
    made = usage(metadata={"ownerReferences": [controller]}, of=of, by=a_map(matchLabels={"role": "till"}))
    await stage.create(USAGES, made)
    ready = await stage.ready(USAGES, "keeps")
    assert ready["spec"]["of"]["resourceRef"] == {"name": "our-own"}
    assert ready["spec"]["by"]["resourceRef"] == {"name": "using"}
    assert ready["metadata"]["ownerReferences"][0]["controller"] is True
    assert len(ready["metadata"]["ownerReferences"]) == 2
    assert not labelled(await stage.get(MAPS, "a-stranger"))


@story
async def test_a_selector_that_selects_nothing_says_so_until_it_does(stage):
    await stage.create(USAGES, usage(of=a_map(matchLabels={"b": "2", "a": "1"}), reason="so"))
    waiting = await stage.ready(USAGES, "keeps", "False", "ResolveSelectors")
    where = 'cannot resolve selectors: cannot resolve selector at "spec.of.resourceSelector"'
    assert message(waiting, "Ready") == f'{where}: no "ConfigMap" found matching labels: map["a":"1" "b":"2"]'
    assert await stage.events("keeps") == [("ResolveSelectors", "Warning")]
    await stage.create(MAPS, config_map("used", labels={"a": "1", "b": "2"}))
    await stage.ready(USAGES, "keeps", within_s=10)


@story
async def test_a_usage_whose_selector_never_selected_anything_can_go(stage):
    await stage.create(USAGES, usage(of=a_map(matchLabels={"a": "1"}), reason="so"))
    await stage.ready(USAGES, "keeps", "False")
    await stage.delete(USAGES, "keeps")
    await stage.gone(USAGES, "keeps")


@story
async def test_what_is_not_there_is_waited_for(stage):
    await stage.create(USAGES, usage(of=a_map("used"), by=a_map("using")))
    waiting = await stage.ready(USAGES, "keeps", "False", "GetUsedResource")
    assert message(waiting, "Ready") == 'cannot get used: configmaps "used" not found'
    await stage.create(MAPS, config_map("used"))
    waiting = await stage.ready(USAGES, "keeps", "False", "GetUsingResource")
    assert message(waiting, "Ready") == 'cannot get using: configmaps "using" not found'
    assert labelled(await stage.get(MAPS, "used")), "it is in use although its user is not there yet"
    await stage.create(MAPS, config_map("using"))
    ready = await stage.ready(USAGES, "keeps")
    assert len(ready["metadata"]["ownerReferences"]) == 1


@story
async def test_a_kind_that_nobody_serves_is_waited_for(stage):
    of = {"apiVersion": "example.org/v1", "kind": "Bucket", "resourceRef": {"name": "b"}}
    await stage.create(USAGES, usage(of=of, reason="so"))
    waiting = await stage.ready(USAGES, "keeps", "False", "GetUsedResource")
    assert message(waiting, "Ready") == 'cannot get used: no matches for kind "Bucket" in version "example.org/v1"'
    await stage.delete(USAGES, "keeps")
    await stage.gone(USAGES, "keeps")


@story
async def test_a_namespace_has_no_say_in_what_belongs_to_the_cluster(stage):
    await stage.create(ROLES, role("admin-role"))
    await stage.create(USAGES, usage(of=a_role("admin-role"), reason="mine"))
    told = message(await stage.ready(USAGES, "keeps", "False"), "Ready")
    assert told == "ClusterRole is cluster-scoped, so only a ClusterUsage can protect it"
    assert not labelled(await stage.get(ROLES, "admin-role"))
    await stage.create(CLUSTER_USAGES, usage("wide", CLUSTER_USAGES, of=a_map("used"), reason="so"))
    told = message(await stage.ready(CLUSTER_USAGES, "wide", "False"), "Ready")
    assert told == "ConfigMap is namespaced, so only a Usage in its namespace can name it in spec.of"


@story
async def test_a_label_that_somebody_removes_comes_back(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    await stage.ready(USAGES, "keeps")
    await stage.patch(MAPS, "used", {"metadata": {"labels": {"crossplane.io/in-use": None}}})

    async def back():
        return labelled(await stage.get(MAPS, "used"))

    await stage.until(back, within_s=61)


@story
async def test_a_steady_usage_costs_no_write(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(MAPS, config_map("using"))
    await stage.create(USAGES, usage(of=a_map("used"), by=a_map("using")))
    await stage.ready(USAGES, "keeps")
    await asyncio.sleep(5)
    before = await stage.version()
    await asyncio.sleep(600)
    assert await stage.version() == before


@story
async def test_a_usage_costs_three_writes(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(MAPS, config_map("using"))
    before = int(await stage.version())
    await stage.create(USAGES, usage(of=a_map("used"), by=a_map("using")))
    await stage.ready(USAGES, "keeps")
    await asyncio.sleep(5)
    told = len(await stage.events("keeps"))
    assert int(await stage.version()) - before - 1 - told == 3, "itself, what it protects, and its status"


@story
async def test_a_webhook_that_is_not_there_keeps_what_is_in_use(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    await stage.ready(USAGES, "keeps")
    stage.asking.down = True
    assert "failed calling webhook" in await stage.refused(MAPS, "used")
    await stage.create(MAPS, config_map("other"))
    assert not await stage.refused(MAPS, "other"), "nobody is asked about what nobody uses"


@story
async def test_a_configuration_that_is_removed_or_another_comes_back_whole(stage):
    (hook,) = (await stage.get(HOOKS, "crossplane-no-usages"))["webhooks"]
    assert hook["failurePolicy"] == "Fail"
    assert hook["objectSelector"] == {"matchLabels": {"crossplane.io/in-use": "true"}}
    old = {**hook, "name": "nousages.apiextensions.crossplane.io"}
    await stage.patch(HOOKS, "crossplane-no-usages", {"webhooks": [old]})
    await asyncio.sleep(61)
    assert (await stage.get(HOOKS, "crossplane-no-usages"))["webhooks"] == [hook]
    await stage.delete(HOOKS, "crossplane-no-usages")
    await asyncio.sleep(61)
    assert (await stage.get(HOOKS, "crossplane-no-usages"))["webhooks"] == [hook]


@story(reached=None)
async def test_a_usage_that_nobody_enforces_says_so(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    ready = await stage.ready(USAGES, "keeps")
    assert state(ready, "Enforced") == "False"
    assert "--admission-service" in message(ready, "Enforced")
    assert ("NoWebhook", "Warning") in await stage.events("keeps")
    assert await stage.get(HOOKS, "crossplane-no-usages") is None
    stage.usages.reached = REACHED

    async def enforced():
        return state(await stage.get(USAGES, "keeps"), "Enforced") == "True"

    await stage.until(enforced)


@story(mandate=MandateSpec())
async def test_who_only_observes_writes_nothing(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    before = await stage.version()
    await asyncio.sleep(120)
    assert await stage.version() == before
    assert await stage.get(HOOKS, "crossplane-no-usages") is None


@story
async def test_a_dry_run_is_refused_and_leaves_no_trace(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    await stage.ready(USAGES, "keeps")
    assert await stage.refused(MAPS, "used", dry_run=True)
    assert ATTEMPT not in ((await stage.get(MAPS, "used"))["metadata"].get("annotations") or {})


@story
async def test_what_is_in_use_outlives_its_owner_until_it_is_not(stage):
    owner = await stage.create(MAPS, config_map("owner"))
    mine = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}
    slow = ["example.org/slow"]
    await stage.create(MAPS, config_map("used", ownerReferences=[mine]))
    await stage.create(MAPS, config_map("using", ownerReferences=[mine], finalizers=slow))
    metadata = {"labels": COMPOSED, "ownerReferences": [mine]}
    await stage.create(USAGES, usage(metadata=metadata, of=a_map("used"), by=a_map("using"), replayDeletion=True))
    await stage.ready(USAGES, "keeps")
    await stage.delete(MAPS, "owner")
    await asyncio.sleep(300)
    assert await stage.get(MAPS, "used"), "garbage collection is refused as everybody is"
    assert len(stage.asking.reviews) < 100, "and comes back with growing patience"
    await stage.patch(MAPS, "using", {"metadata": {"finalizers": None}})
    await stage.gone(MAPS, "using")
    await stage.gone(USAGES, "keeps")
    await stage.gone(MAPS, "used", within_s=10)
