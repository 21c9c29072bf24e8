"""A room that nobody uses waits outside."""

import asyncio

from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.faults.store import MemoryCluster, Resource
from plumbline.kernel.firstuse import FirstUse
from plumbline.kernel.installing import CRDS
from plumbline.kernel.metrics import Metrics
from plumbline.kinds.crd import MANAGED_BY, OURS
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
SECRETS = GroupVersionResource("", "v1", "secrets")


def waiting(*, use=None):
    async def main():
        clock, ids = LoopClock(), Ids(1)
        kinds = (
            Resource(CONFIG_MAPS, "ConfigMap"),
            Resource(SECRETS, "Secret"),
            Resource(CRDS, "CustomResourceDefinition"),
        )
        client = Client(MemoryCluster(kinds, clock, ids), clock=clock, ids=ids)
        first = FirstUse(client, Metrics(), (CONFIG_MAPS, SECRETS), lambda name: name.endswith(".example.org"))
        task = asyncio.create_task(first.wait())
        await asyncio.sleep(60)
        assert not task.done()
        await use(client, first)
        await asyncio.sleep(5)
        used = task.done()
        task.cancel()
        return used

    return run_virtually(main)


async def defined(client, name):
    metadata = {"name": name, "labels": {MANAGED_BY: OURS}}
    body = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata}
    await client.create(Target(CRDS), encode(body))


def test_it_returns_with_the_first_object_of_any_of_the_kinds():
    async def use(client, _):
        body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "shop"}}
        await client.create(Target(SECRETS, "shop"), encode(body))

    assert waiting(use=use)


def test_it_returns_when_somebody_says_so():
    async def use(_, first):
        first.use()

    assert waiting(use=use)


def test_it_returns_with_a_definition_that_is_meant_and_with_no_other():
    async def meant(client, _):
        await defined(client, "things.example.org")

    async def another(client, _):
        await defined(client, "others.example.com")

    assert [waiting(use=each) for each in (meant, another)] == [True, False]
