"""A room that nobody uses waits outside."""

import asyncio

from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.faults.store import MemoryCluster, Resource
from plumbline.kernel.firstuse import first_use
from plumbline.kernel.metrics import Metrics
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
SECRETS = GroupVersionResource("", "v1", "secrets")


def test_it_returns_with_the_first_object_of_any_of_the_kinds():
    async def main():
        clock, ids = LoopClock(), Ids(1)
        resources = (Resource(CONFIG_MAPS, "ConfigMap"), Resource(SECRETS, "Secret"))
        client = Client(MemoryCluster(resources, clock, ids), clock=clock, ids=ids)
        waiting = asyncio.create_task(first_use(client, Metrics(), (CONFIG_MAPS, SECRETS)))
        await asyncio.sleep(60)
        assert not waiting.done()
        body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "shop"}}
        await client.create(Target(SECRETS, "shop"), encode(body))
        await asyncio.wait_for(waiting, 5)

    run_virtually(main)
