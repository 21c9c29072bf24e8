"""Whoever may write in one namespace has no way into another: not by a reference, not by what is kept between looks."""

import asyncio

from tests.terraform.works import BY_HAND, HOME, SECOND, SECRETS, TERRAFORMS, condition, story, terraform

from plumbline.base.json import decode, encode
from plumbline.kube.client import Target
from plumbline.terraform import checks
from plumbline.terraform.pending import ANNOTATION

OTHER = "argocd"
MARK = "tf.dependency.of."


def hostile(name="network", **spec):
    obj = terraform(name, **spec)
    obj["metadata"]["namespace"] = OTHER
    return obj


async def theirs(works, name="network"):
    return decode(await works.client.get(Target(TERRAFORMS, OTHER, name)))


async def settled(works, text, name="network"):
    """Wait until the object in the other namespace says *text*."""

    async def says():
        said = condition(await theirs(works, name), "Ready")
        return text in said.get("reason", "") + said.get("message", "")

    await works.until(says)


async def marks(works, name="network"):
    found = await works.get(name)
    return [each for each in found["metadata"]["finalizers"] if each.startswith(MARK)]


@story
async def test_nobody_keeps_an_object_of_another_namespace_from_being_deleted(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    await works.apply(hostile("app", dependsOn=[{"name": "network", "namespace": HOME}]))
    await settled(works, "AccessDenied", "app")
    assert await marks(works) == []


@story
async def test_nobody_lets_an_object_of_another_namespace_go_that_others_depend_on(works):
    await works.apply(terraform())
    await works.apply(terraform("app", dependsOn=[{"name": "network"}]))
    await works.told("Ready", "True", name="app")
    await works.patch({"spec": {"suspend": True}}, "app")  # or it would take hold of it again
    await works.apply(hostile("app", dependsOn=[{"name": "network", "namespace": HOME}]))
    await settled(works, "AccessDenied", "app")
    await works.client.delete(Target(TERRAFORMS, OTHER, "app"))
    await asyncio.sleep(60)
    assert await marks(works) == [f"{MARK}app"]


@story
async def test_a_circle_that_leads_through_another_namespace_is_not_told(works):
    await works.apply(terraform("secret-project", dependsOn=[{"name": "app", "namespace": OTHER}]))
    await works.apply(hostile("app", dependsOn=[{"name": "secret-project", "namespace": HOME}]))
    await settled(works, "AccessDenied", "app")


@story
async def test_nobody_opens_the_lock_of_a_state_of_another_namespace(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    await works.lock("network", "held-by-ann")
    data = {"namespace": HOME, "secret_suffix": "network"}
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s", "namespace": OTHER}, "data": data}
    await works.apply(settings, SECRETS._replace(resource="configmaps"))
    unlocking = {"forceUnlock": "auto", "lockIdentifier": "held-by-ann"}
    from_settings = [{"kind": "ConfigMap", "name": "s"}]
    await works.apply(hostile("app", backendConfigsFrom=from_settings, tfstate=unlocking))
    await asyncio.sleep(300)
    assert (await works.lease("network"))["spec"]["holderIdentity"] == "held-by-ann"
    said = condition(await theirs(works, "app"), "Ready")
    assert said["reason"] == "AccessDenied"
    assert "held-by-ann" not in said["message"]


async def _hangs(*_args, **_kwargs):
    await asyncio.sleep(86_400)


def test_checks_of_one_namespace_that_hang_keep_objects_of_no_other_waiting(monkeypatch):
    monkeypatch.setattr(checks.Wire, "connect", _hangs)

    @story
    async def told(works):
        hanging = [{"name": "web", "type": "tcp", "address": "web.example.org:80", "timeout": "24h"}]
        for number in range(8):
            await works.apply(hostile(f"app-{number}", healthChecks=hanging))
        await asyncio.sleep(120)
        await works.apply(terraform())
        async with asyncio.timeout(120):
            await works.told("Ready", "True")

    told()


def test_sources_of_one_namespace_that_hang_keep_objects_of_no_other_waiting():
    @story
    async def told(works):
        for number in range(120):
            await works.apply(hostile(f"app-{number}"))
        tree = works.sources.tree
        works.sources.tree = lambda ref, namespace: _hangs() if namespace == OTHER else tree(ref, namespace)
        await asyncio.sleep(120)
        await works.apply(terraform())
        async with asyncio.timeout(300):
            await works.told("Ready", "True")

    told()


@story
async def test_who_can_write_secrets_cannot_have_a_plan_applied_that_waits_for_people(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    await works.pushed(SECOND)
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    plan = Target(SECRETS, HOME, "tfplan-default-network")
    said = decode(decode(await works.client.get(plan))["metadata"]["annotations"][ANNOTATION])
    assert said.pop("dangers")
    forged = {"metadata": {"annotations": {ANNOTATION: encode(said).decode()}}}
    await works.client.patch(plan, encode(forged), "merge", BY_HAND)
    works.look()
    await asyncio.sleep(1300)
    assert works.cloud.resources == {"a": "1"}
    assert (await works.pending()).dangers, "a new plan is made, and waits"
