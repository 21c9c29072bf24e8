"""Waiting until somebody uses a kind: what nobody uses is not loaded, and costs a watch on nothing."""

import asyncio
from collections.abc import Iterable

from plumbline.kernel.cache import Cached
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import Metrics
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource


async def first_use(client: Client, metrics: Metrics, resources: Iterable[GroupVersionResource]) -> None:
    """Returns once there is an object of one of *resources*."""
    used = asyncio.Event()

    def came(before: Cached | None, after: Cached | None) -> None:
        del before
        if after is not None:
            used.set()

    async with asyncio.TaskGroup() as group:
        tasks = []
        for resource in resources:
            informer = Informer(client, Target(resource), metrics=metrics)
            informer.subscribe(came)
            tasks.append(group.create_task(informer.run()))
        await used.wait()
        for task in tasks:
            task.cancel()
