"""The gate against a cluster: writes as acts, records through the door, and the mandate that is kept in the cluster."""

import asyncio

import pytest

from plumbline.base.errors import Conflict, NotFound, RivalAlive
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.gate.gate import Gate, Powers, Record
from plumbline.gate.records import GatedRecords
from plumbline.gate.survey import hand_back, hand_over, install_mandate, mandate_of
from plumbline.gate.writes import Applying, Creating, Deleting, Patching
from plumbline.kernel.faults.store import MemoryCluster, Resource
from plumbline.kernel.reconciler import Event
from plumbline.kinds.mandate import MANDATE, Grant, MandateSpec
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionKind, GroupVersionResource
from plumbline.kube.schema import builtin_shape
from plumbline.ownership.ledger import Ledger

APPLICATIONS = GroupVersionResource("argoproj.io", "v1alpha1", "applications")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
EVENTS = GroupVersionResource("", "v1", "events")
SERVED = (
    Resource(MANDATE.resource, "Mandate"),
    Resource(GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions"), "CustomResourceDefinition"),
    Resource(GroupVersionResource("apps", "v1", "statefulsets"), "StatefulSet"),
    Resource(GroupVersionResource("coordination.k8s.io", "v1", "leases"), "Lease"),
    Resource(APPLICATIONS, "Application", status_apart=False),
    Resource(CONFIG_MAPS, "ConfigMap", builtin_shape(GroupVersionKind("", "v1", "ConfigMap"))),
    Resource(EVENTS, "Event"),
)  # fmt: skip
APPS = Grant(group="argoproj.io", kind="Application")
AS_US = Writing(field_manager="us")


class Place:
    def __init__(self):
        self.clock = LoopClock()
        self.cluster = MemoryCluster(SERVED, self.clock, Ids(1))
        self.client = Client(self.cluster, clock=self.clock, ids=Ids(1))

    async def application(self, manager):
        body = {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": "shop"},
            "spec": {"a": 1},
        }
        await self.client.create(Target(APPLICATIONS, "argocd"), encode(body), Writing(field_manager=manager))
        return decode(await self.client.get(Target(APPLICATIONS, "argocd", "shop")))

    def gate(self, mandate):
        return Gate(Powers(lambda: mandate, Ledger(), lambda: None), Performing(), self.clock)


class Performing(Record):
    async def act(self, intent, act):
        self.intents.append(intent)
        return await act.perform()


def virtually(story):
    def run():
        async def main():
            async with asyncio.timeout(10_000):
                await story(Place())

        run_virtually(main)

    run.__name__ = story.__name__
    return run


@virtually
async def test_a_cluster_without_a_mandate_is_observed(place):
    assert await mandate_of(place.client) == MandateSpec()


@virtually
async def test_handing_over_and_back_is_kept_in_the_cluster(place):
    await install_mandate(place.client)
    await hand_over(place.client, APPS, [APPLICATIONS], place.clock)
    assert (await mandate_of(place.client)).adopted == (APPS,)
    await hand_back(place.client, APPS)
    assert await mandate_of(place.client) == MandateSpec()


@virtually
async def test_while_another_controller_writes_the_objects_nothing_is_handed_over(place):
    await place.application("argocd-application-controller")
    with pytest.raises(RivalAlive) as refused:
        await hand_over(place.client, APPS, [APPLICATIONS], place.clock)
    assert refused.value.rivals == ("Argo CD",)
    assert await mandate_of(place.client) == MandateSpec()
    await place.clock.sleep(400)
    assert (await hand_over(place.client, APPS, [APPLICATIONS], place.clock)).adopted == (APPS,)


@virtually
async def test_the_kind_is_installed_once_and_somebody_elses_is_left_alone(place):
    await install_mandate(place.client)
    version = place.cluster.version
    await install_mandate(place.client)
    assert place.cluster.version == version


@virtually
async def test_observing_writes_no_record_on_objects_of_others(place):
    obj = await place.application("person")
    target, version = Target(APPLICATIONS, "argocd", "shop"), place.cluster.version
    records = GatedRecords(place.gate(MandateSpec()), place.client, place.clock, "delivery", cluster="here")
    assert await records.write(target, obj, {"status": {"health": "Healthy"}}) == b""
    await records.write_finalizers(target, obj, ["x/y"])
    await records.emit(obj, Event("Synced", "Synced"))
    assert place.cluster.version == version


@virtually
async def test_what_was_adopted_gets_its_records(place):
    obj = await place.application("person")
    target = Target(APPLICATIONS, "argocd", "shop")
    mandate = MandateSpec(adopted=(APPS,))
    records = GatedRecords(place.gate(mandate), place.client, place.clock, "delivery", cluster="here")
    written = decode(await records.write(target, obj, {"status": {"health": "Healthy"}}))
    assert written["status"] == {"health": "Healthy"}
    await records.write_finalizers(target, written, ["x/y"])
    await records.emit(written, Event("Synced", "Synced"))
    live = decode(await place.client.get(target))
    assert live["metadata"]["finalizers"] == ["x/y"]
    assert [obj["reason"] for obj in place.cluster.selected(EVENTS, "")] == ["Synced"]


def config_map(text):
    return encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": text}})


@virtually
async def test_writes_do_what_they_say_and_only_to_the_object_that_was_meant(place):
    collection, one = Target(CONFIG_MAPS, "n"), Target(CONFIG_MAPS, "n", "c")
    await Creating(place.client, collection, config_map("1"), AS_US).perform()
    await Applying(place.client, one, config_map("2"), Writing(field_manager="us", force=True)).perform()
    live = decode(await Patching(place.client, one, b'{"data":{"a":"3"}}', "merge", AS_US).perform())
    assert live["data"] == {"a": "3"}
    with pytest.raises(Conflict):
        await Deleting(place.client, one, uid="another").perform()
    await Deleting(place.client, one, uid=live["metadata"]["uid"]).perform()
    with pytest.raises(NotFound):
        await place.client.get(one)


class Asking:
    """A transport that keeps the last request."""

    def __init__(self, inner):
        self._inner, self.last = inner, None

    async def send(self, request):
        self.last = request
        return await self._inner.send(request)

    async def close(self): ...


@virtually
async def test_a_rehearsal_is_a_dry_run_of_the_same_request(place):
    asking = Asking(place.cluster)
    client = Client(asking, clock=place.clock, ids=Ids(1))
    one = Target(CONFIG_MAPS, "n", "c")
    await Creating(client, one.collection, config_map("1"), AS_US).rehearse()
    assert "dryRun=All" in asking.last.query
    await Applying(client, one, config_map("1"), AS_US).rehearse()
    assert "dryRun=All" in asking.last.query
    await Patching(client, one, b"{}", "merge", AS_US).rehearse()
    assert "dryRun=All" in asking.last.query
    uid = decode(await client.get(one))["metadata"]["uid"]
    await Deleting(client, one, uid=uid).rehearse()
    assert decode(asking.last.body)["dryRun"] == ["All"]
