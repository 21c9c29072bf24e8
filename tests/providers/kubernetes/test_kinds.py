"""Objects as people write them: served, defaulted, reconciled by the one reconciler through the one gate."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import InvalidInput, NotFound, UnknownKind
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.collections import Collections
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupKind, GroupVersionResource
from plumbline.managed.kinds import Catalogue
from plumbline.managed.managed import ManagedResources, Parts
from plumbline.ownership.ledger import Ledger
from plumbline.providers.kubernetes import kinds
from plumbline.providers.kubernetes.kinds import GROUP, KUBERNETES, NAMESPACED_GROUP

from .bench import BY_HAND, CONFIG_MAPS, OBJECTS, config_map

LOCAL = {"credentials": {"source": "InjectedIdentity"}}
CONFIGS = GroupVersionResource(GROUP, "v1alpha1", "providerconfigs")
CLUSTER_CONFIGS = GroupVersionResource(NAMESPACED_GROUP, "v1alpha1", "clusterproviderconfigs")
MODERN = GroupVersionResource(NAMESPACED_GROUP, "v1alpha1", "objects")
COLLECTIONS = GroupVersionResource(GROUP, "v1alpha1", "observedobjectcollections")


def test_the_kinds_are_upstreams():
    found = {(str(kind.group_kind), kind.plural, kind.versions, kind.namespaced) for kind in kinds(None)}
    assert found == {
        (f"Object.{GROUP}", "objects", ("v1alpha2", "v1alpha1"), False),
        (f"Object.{NAMESPACED_GROUP}", "objects", ("v1alpha1",), True),
        (f"ObservedObjectCollection.{GROUP}", "observedobjectcollections", ("v1alpha1",), False),
        (f"ObservedObjectCollection.{NAMESPACED_GROUP}", "observedobjectcollections", ("v1alpha1",), True),
    }
    assert KUBERNETES.twin_group == NAMESPACED_GROUP


@asynccontextmanager
async def installation():
    clock, ids = LoopClock(), Ids(5)
    plane = Plane(clock, ids, authority_pem="the authority", workloads=False)
    world = World(clock, ids, Metrics())
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        client = Client(plane.transport(), clock=clock, ids=ids)
        ledger = Ledger()
        gate = Gate(Powers(lambda: MandateSpec(mode="Enforce"), ledger, lambda: None), Live(journal), clock)
        records = GatedRecords(gate, client, clock, "plumbline-managed", cluster="in-cluster")
        collections = Collections(client, world.metrics)
        managed = ManagedResources(Parts(client, world, gate, ledger, records, collections, Catalogue(kinds(client))))
        tasks = [asyncio.create_task(collections.run()), asyncio.create_task(managed.run())]
        try:
            for kind in ("Object", "ObservedObjectCollection"):
                for group in (GROUP, NAMESPACED_GROUP):
                    assert await managed.activation.ensure(GroupKind(group, kind))
            await asyncio.sleep(3)
            client.discovery.forget()
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
            await client.create(Target(GroupVersionResource("", "v1", "namespaces")), encode(namespace))
            for resource, kind in ((CONFIGS, "ProviderConfig"), (CLUSTER_CONFIGS, "ClusterProviderConfig")):
                body = {
                    "apiVersion": resource.api_version,
                    "kind": kind,
                    "metadata": {"name": "default"},
                    "spec": LOCAL,
                }
                await client.create(Target(resource), encode(body), BY_HAND)
            yield client, journal
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def told(function):
    def test():
        async def main():
            async with installation() as (client, journal):
                await function(client, journal)

        run_virtually(main)

    test.__name__ = function.__name__
    return test


async def got(client, resource, name, namespace=""):
    try:
        return decode(await client.get(Target(resource, namespace, name)))
    except (NotFound, UnknownKind):
        return None


async def until(true):
    async with asyncio.timeout(180):
        while not (found := await true()):  # noqa: ASYNC110 - time is virtual
            await asyncio.sleep(0.5)
    return found


async def ready(client, resource, name, namespace=""):
    async def so():
        obj = await got(client, resource, name, namespace)
        conditions = ((obj or {}).get("status") or {}).get("conditions", [])
        said = {each["type"]: each["status"] for each in conditions}
        return obj if said.get("Ready") == said.get("Synced") == "True" else None

    return await until(so)


async def gone(client, resource, name, namespace=""):
    async def so():
        return await got(client, resource, name, namespace) is None

    return await until(so)


def an_object(name, manifest, resource=OBJECTS, **spec):
    return {"apiVersion": resource.api_version, "kind": "Object", "metadata": {"name": name},
            "spec": {"forProvider": {"manifest": manifest}, **spec}}  # fmt: skip


@told
async def test_an_object_lives_through_the_reconciler_and_leaves_nothing_behind(client, journal):
    await client.create(Target(CONFIG_MAPS, "shop"), encode(config_map("source", host="db")), BY_HAND)
    source = {"apiVersion": "v1", "kind": "ConfigMap", "name": "source", "namespace": "shop"}
    references = [{"patchesFrom": {**source, "fieldPath": "data.host"}, "toFieldPath": "data.endpoint"}]
    body = an_object("web", config_map(a="1"), references=references)
    await client.create(Target(OBJECTS), encode(body), BY_HAND)
    found = await ready(client, OBJECTS, "web")
    assert found["status"]["atProvider"]["manifest"]["data"] == {"a": "1", "endpoint": "db"}
    assert found["spec"]["watch"] is False
    served = await got(client, OBJECTS._replace(version="v1alpha1"), "web")
    assert served["spec"]["forProvider"] == found["spec"]["forProvider"]
    change = encode({"spec": {"forProvider": {"manifest": {"data": {"a": "2"}}}}})
    await client.patch(Target(OBJECTS, "", "web"), change, "merge", BY_HAND)

    async def changed():
        return (await got(client, CONFIG_MAPS, "web", "shop"))["data"]["a"] == "2"

    await until(changed)
    await client.delete(Target(OBJECTS, "", "web"))
    await gone(client, OBJECTS, "web")
    assert await got(client, CONFIG_MAPS, "web", "shop") is None
    assert "finalizers" not in (await got(client, CONFIG_MAPS, "source", "shop"))["metadata"]
    page = await journal.page(limit=100)
    assert {entry.verb for entry in page.entries if entry.kind == "performed"} >= {"create", "update", "delete"}


@told
async def test_a_namespaced_object_lives_too(client, journal):
    await client.create(Target(MODERN, "shop"), encode(an_object("web", config_map(a="1"), MODERN)), BY_HAND)
    await ready(client, MODERN, "web", "shop")
    await client.delete(Target(MODERN, "shop", "web"))
    await gone(client, MODERN, "web", "shop")
    assert await got(client, CONFIG_MAPS, "web", "shop") is None


@told
async def test_a_collection_lives_and_its_members_observe(client, journal):
    body = config_map("one", a="1")
    body["metadata"]["labels"] = {"team": "a"}
    await client.create(Target(CONFIG_MAPS, "shop"), encode(body), BY_HAND)
    asked = {"apiVersion": "v1", "kind": "ConfigMap", "selector": {"matchLabels": {"team": "a"}}}
    collection = {"apiVersion": COLLECTIONS.api_version, "kind": "ObservedObjectCollection", "metadata": {"name": "c"},
                  "spec": {"observeObjects": asked}}  # fmt: skip
    await client.create(Target(COLLECTIONS), encode(collection), BY_HAND)
    made = await ready(client, COLLECTIONS, "c")
    assert made["status"]["membershipLabel"]
    page = await client.list(Target(OBJECTS))
    (member,) = map(decode, page.items)
    seen = await ready(client, OBJECTS, member["metadata"]["name"])
    assert seen["status"]["atProvider"]["manifest"]["data"] == {"a": "1"}
    await client.delete(Target(COLLECTIONS, "", "c"))
    await gone(client, COLLECTIONS, "c")
    assert await got(client, CONFIG_MAPS, "one", "shop"), "what was only observed stays"


@told
async def test_what_the_schema_does_not_allow_is_refused(client, journal):
    for wrong in (
        {"apiVersion": OBJECTS.api_version, "kind": "Object", "metadata": {"name": "w"}, "spec": {"forProvider": {}}},
        an_object("w", config_map(), readiness={"policy": "DeriveFromCelQuery"}),
        an_object("w", config_map(), references=[{"dependsOn": {}}]),
        an_object("w", config_map(), managementPolicy="Never"),
    ):
        with pytest.raises(InvalidInput):
            await client.create(Target(OBJECTS), encode(wrong), BY_HAND)
