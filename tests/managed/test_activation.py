"""CRDs that appear when they are needed, of both lineages; those of others stay as they are, and so do their objects."""

import asyncio

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Selection, Target
from plumbline.kube.client.transport import Response
from plumbline.kube.names import GroupKind
from plumbline.managed.manifests import config_crd, config_kinds, managed_crd

from .cloud import PROVIDER, Cloud, kinds
from .town import KINDS, SHORT, STORE, composed, conditions, created, founded, story, town

ALL = {str(kind.group_kind): kind for kind in kinds(None)}
LEGACY, MODERN = ALL["Store.data.cloud.example.org"], ALL["Store.data.cloud.m.example.org"]


def spec_of(crd):
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]


def test_a_cluster_scoped_kind_has_upstreams_shape():
    crd = managed_crd(LEGACY)
    assert crd["metadata"]["name"] == "stores.data.cloud.example.org"
    assert crd["spec"]["scope"] == "Cluster"
    assert crd["spec"]["names"]["categories"] == ["crossplane", "managed", "cloud"]
    names = [(each["name"], each["served"], each["storage"]) for each in crd["spec"]["versions"]]
    assert names == [("v1beta2", True, True), ("v1beta1", True, False)]
    columns = [each["name"] for each in crd["spec"]["versions"][0]["additionalPrinterColumns"]]
    assert columns == ["SYNCED", "READY", "EXTERNAL-NAME", "AGE"]
    spec = spec_of(crd)["properties"]
    assert sorted(spec) == [
        "deletionPolicy", "forProvider", "initProvider", "managementPolicies", "providerConfigRef", "writeConnectionSecretToRef",
    ]  # fmt: skip
    assert spec["providerConfigRef"]["default"] == {"name": "default"}
    assert spec["writeConnectionSecretToRef"]["required"] == ["name", "namespace"]
    assert {"networkIdRef", "networkIdSelector", "networkIdRefs"} <= spec["forProvider"]["properties"].keys()
    assert "namespace" not in spec["forProvider"]["properties"]["networkIdRef"]["properties"]
    assert "namespace" in spec["forProvider"]["properties"]["passwordSecretRef"]["properties"]
    (rule,) = spec_of(crd)["x-kubernetes-validations"]
    assert rule["message"] == "spec.forProvider.region is a required parameter"


def test_a_namespaced_kind_has_neither_deletion_policy_nor_other_namespaces():
    crd = managed_crd(MODERN)
    assert (crd["spec"]["scope"], crd["spec"]["group"]) == ("Namespaced", "data.cloud.m.example.org")
    spec = spec_of(crd)["properties"]
    assert "deletionPolicy" not in spec
    assert spec["providerConfigRef"]["default"] == {"kind": "ClusterProviderConfig", "name": "default"}
    assert spec["writeConnectionSecretToRef"]["required"] == ["name"]
    secret = spec["forProvider"]["properties"]["passwordSecretRef"]
    assert (sorted(secret["properties"]), secret["required"]) == (["key", "name"], ["key", "name"])
    assert "namespace" in spec["forProvider"]["properties"]["networkIdRef"]["properties"]


def test_configs_have_their_kinds_in_both_lineages():
    (legacy,) = config_kinds(PROVIDER, namespaced=False)
    assert config_crd(legacy)["metadata"]["name"] == "providerconfigs.cloud.example.org"
    modern = [config_crd(each) for each in config_kinds(PROVIDER, namespaced=True)]
    assert [(each["metadata"]["name"], each["spec"]["scope"]) for each in modern] == [
        ("clusterproviderconfigs.cloud.m.example.org", "Cluster"),
        ("providerconfigs.cloud.m.example.org", "Namespaced"),
    ]


async def crds(town):
    page = await town.client.list(Target(SHORT["crds"]), Selection())
    return sorted(decode(raw)["metadata"]["name"] for raw in page.items)


@story(bare=True)
async def test_nothing_is_served_before_it_is_used(town):
    await town.settle(5)
    assert await crds(town) == []
    assert await town.managed.activation.ensure(STORE)
    assert await crds(town) == ["providerconfigs.cloud.example.org", "stores.data.cloud.example.org"]
    assert await town.managed.activation.ensure(STORE)
    assert not await town.managed.activation.ensure(GroupKind("nobody.example.org", "Thing"))
    assert await town.managed.activation.ensure(KINDS["m.stores"])
    assert "clusterproviderconfigs.cloud.m.example.org" in await crds(town)


@story(bare=True)
async def test_many_who_ask_at_once_cost_one_crd(town):
    async with task_group() as group:
        asked = [group.create_task(town.managed.activation.ensure(kind)) for kind in KINDS.values() for _ in range(5)]
    assert all(each.result() for each in asked)
    assert len(await crds(town)) == 11
    assert town.api.of("customresourcedefinitions") == 11


@story(bare=True)
async def test_kinds_that_come_together_do_not_wait_for_one_another(town):
    """A server that was just given a kind keeps its first reader waiting for a second; with thirty kinds that is half a minute."""
    shorts = [short for short in KINDS if short in SHORT]
    places = {f"/apis/{SHORT[short].api_version}/{SHORT[short].resource}" for short in shorts}
    asked, all_asked, send = set(), asyncio.Event(), town.api.send

    async def held(request):
        if request.method == "GET" and request.path in places:
            asked.add(request.path)
            if asked == places:
                all_asked.set()
            await all_asked.wait()
        return await send(request)

    town.api.send = held
    async with asyncio.timeout(60):
        await town.managed.activation.ensure_all(KINDS[short] for short in shorts)
    assert all(town.managed.activation.active(KINDS[short]) for short in shorts)


@story(bare=True)
async def test_somebody_elses_crd_is_left_alone_and_so_are_its_objects(town):
    theirs = managed_crd(LEGACY)
    theirs["metadata"] = {"name": theirs["metadata"]["name"], "labels": {"app.kubernetes.io/managed-by": "crossplane"}}
    await town.client.create(Target(SHORT["crds"]), encode(theirs))
    await town.settle(2)
    assert not await town.managed.activation.ensure(STORE)
    assert not await town.managed.activation.ensure(STORE)
    await created(town.client, "stores", "theirs")
    await town.settle(60)
    obj = await town.get("stores", "theirs")
    assert "status" not in obj
    assert town.cloud.calls == {}
    await town.client.delete(Target(SHORT["crds"], name="stores.data.cloud.example.org"))
    await town.settle(70)
    assert await town.managed.activation.ensure(STORE)


@story(bare=True, mandate=MandateSpec())
async def test_an_installation_that_only_observes_makes_no_crd(town):
    assert not await town.managed.activation.ensure(STORE)
    assert await crds(town) == []


@story()
async def test_a_crd_that_goes_takes_its_controller_along_and_comes_back(town):
    await town.create("networks", "blue")
    await town.ready("networks", "blue")
    await town.settle(60)
    await town.delete("networks", "blue")
    await town.gone("networks", "blue")
    await town.client.delete(Target(SHORT["crds"], name="networks.net.cloud.example.org"))

    async def gone():
        return "networks.net.cloud.example.org" not in await crds(town)

    await town.until(gone)
    await town.settle(2)
    assert not town.managed.activation.active(KINDS["networks"])
    assert town.managed.controller(KINDS["networks"]) is None
    await town.create("networks", "green")
    await town.ready("networks", "green")


@story()
async def test_data_is_not_lost_with_the_crd_of_its_kind(town):
    await town.create("stores", "photos")
    await town.ready("stores", "photos")
    await town.settle(60)
    await town.client.delete(Target(SHORT["crds"], name="stores.data.cloud.example.org"))
    obj = await town.has("stores", "photos", Synced="NeedsConsent")
    assert "Store.data.cloud.example.org/photos" in conditions(obj)["Synced"]["message"]
    assert len(town.cloud.live()) == 1


@story()
async def test_what_cannot_be_created_without_a_field_is_refused_unless_it_is_only_observed(town):
    for spec in ({"forProvider": {}}, {"forProvider": {}, "managementPolicies": ["Observe", "Create"]}):
        body = {
            "apiVersion": "data.cloud.example.org/v1beta2",
            "kind": "Store",
            "metadata": {"name": "a"},
            "spec": spec,
        }
        with pytest.raises(InvalidInput, match=r"spec.forProvider.region is a required parameter"):
            await town.client.create(Target(SHORT["stores"]), encode(body))
    for name, spec in (
        ("watched", {"forProvider": {}, "managementPolicies": ["Observe"]}),
        ("initial", {"forProvider": {}, "initProvider": {"region": "south"}}),
    ):
        body = {
            "apiVersion": "data.cloud.example.org/v1beta1",
            "kind": "Store",
            "metadata": {"name": name},
            "spec": spec,
        }
        await town.client.create(Target(SHORT["stores"]._replace(version="v1beta1")), encode(body))
    await town.ready("stores", "initial")


def test_kinds_whose_crds_are_ours_are_started_again_and_steady_ones_are_not_all_asked_for():
    founded()

    async def main():
        cloud = Cloud(LoopClock())
        async with town(cloud=cloud) as here:
            for index in range(20):
                await here.create("networks", f"n{index}")
            for index in range(20):
                await here.ready("networks", f"n{index}")
            await here.settle(60)
            asked = cloud.calls["observe"]
            managed, collections = composed(here.managed._parts.client, here.managed._parts.world, cloud, here.journal)
            async with task_group() as group:
                tasks = [group.create_task(collections.run()), group.create_task(managed.run())]
                await asyncio.sleep(20)
                assert managed.activation.active(KINDS["networks"])
                assert cloud.calls["observe"] - asked <= 3
                await here.create("networks", "fresh")
                await here.ready("networks", "fresh")
                for task in tasks:
                    task.cancel()

    run_virtually(main)


@story(bare=True)
async def test_configs_can_be_written_before_any_kind_is_used(town):
    await town.managed.activation.configure(PROVIDER)
    assert await crds(town) == [
        "clusterproviderconfigs.cloud.m.example.org", "providerconfigs.cloud.example.org", "providerconfigs.cloud.m.example.org",
    ]  # fmt: skip


@story(bare=True)
async def test_a_crd_that_another_of_us_made_meanwhile_is_ours_too(town):
    live, raced = town.managed.activation._live, []

    async def late(name):
        """As it was before the other one came."""
        if name == "stores.data.cloud.example.org" and not raced:
            raced.append(await town.client.create(Target(SHORT["crds"]), encode(managed_crd(LEGACY))))
            return None
        return await live(name)

    town.managed.activation._live = late
    assert await town.managed.activation.ensure(STORE)


class Unlistable:
    """A transport through which one kind cannot be listed."""

    def __init__(self, inner, plural):
        self._inner, self._plural, self.down = inner, plural, True

    async def send(self, request):
        if self.down and request.method == "GET" and request.path.endswith(f"/{self._plural}"):
            status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 500, "message": "not now"}
            return Response(500, {"content-type": "application/json"}, encode(status))
        return await self._inner.send(request)

    async def close(self): ...


@story()
async def test_after_a_start_a_kind_that_cannot_be_listed_keeps_no_other_from_being_looked_after(town):
    caller = town.managed._parts.client._caller
    caller.transport = weather = Unlistable(caller.transport, "databases")
    await created(town.client, "networks", "front")
    await created(town.client, "databases", "orders")
    await town.ready("networks", "front")
    weather.down = False
    await town.ready("databases", "orders")
