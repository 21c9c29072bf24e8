"""One ConfigMap under a watch that runs before anything happens to it."""

import asyncio
import time
from contextlib import aclosing, asynccontextmanager

import msgspec

from plumbline.base.tasks import task_group
from plumbline.kube.client import Interrupted, Selection, Synced, Target
from plumbline.kube.names import GroupVersionResource

CONFIGMAPS = GroupVersionResource("", "v1", "configmaps")


class _ConfigMap(msgspec.Struct, frozen=True):
    data: dict[str, str] = {}


_configmap = msgspec.json.Decoder(_ConfigMap)


class Values:
    """What the ConfigMap held, and when that was seen, in order."""

    def __init__(self):
        self._seen = asyncio.Queue()
        self.synced = asyncio.Event()

    def saw(self, raw, at_s):
        self._seen.put_nowait((at_s, _configmap.decode(raw).data))

    async def until(self, wanted):
        """When *wanted*(data) was first true, among what has not been asked about before."""
        while True:
            at_s, data = await self._seen.get()
            if wanted(data):
                return at_s

    async def follow(self, client, namespace, name):
        selection = Selection(fields=f"metadata.name={name}")
        async with aclosing(client.follow(Target(CONFIGMAPS, namespace), selection)) as events:
            async for event in events:
                at_s = time.perf_counter()
                if isinstance(event, Synced):
                    self.synced.set()
                elif not isinstance(event, Interrupted) and event.type in {"ADDED", "MODIFIED"}:
                    self.saw(event.raw, at_s)


@asynccontextmanager
async def values_of(client, namespace, name):
    values = Values()
    async with task_group() as group:
        task = group.create_task(values.follow(client, namespace, name))
        try:
            await values.synced.wait()
            yield values
        finally:
            task.cancel()
