"""Waiting until somebody uses a kind: what nobody uses is not loaded, and costs a watch on nothing."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from plumbline.base.tasks import task_group
from plumbline.kernel.cache import Cache, Cached, Relevance
from plumbline.kernel.informer import Informer
from plumbline.kernel.installing import CRDS
from plumbline.kernel.metrics import Metrics
from plumbline.kinds.crd import MANAGED_BY, OURS
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.names import GroupVersionResource

_OURS: Final = Selection(labels=f"{MANAGED_BY}={OURS}")


class FirstUse:
    """Of one of *resources*, or of a kind whose CRD we have made before and that *defines* knows by its name."""

    def __init__(
        self,
        client: Client,
        metrics: Metrics,
        resources: Iterable[GroupVersionResource],
        defines: Callable[[str], bool] | None = None,
    ) -> None:
        self._used = asyncio.Event()
        self._informers = [Informer(client, Target(each), metrics=metrics) for each in resources]
        for informer in self._informers:
            informer.subscribe(self._came)
        if defines is not None:
            definitions = Informer(
                client, Target(CRDS), cache=Cache(Relevance(content=False)), selection=_OURS, metrics=metrics
            )
            definitions.subscribe(lambda _, after: self.use() if after and defines(after.meta.name) else None)
            self._informers.append(definitions)

    def use(self) -> None:
        """Somebody uses it in a way that no object shows."""
        self._used.set()

    async def wait(self) -> None:
        async with task_group() as group:
            tasks = [group.create_task(informer.run()) for informer in self._informers]
            await self._used.wait()
            for task in tasks:
                task.cancel()

    def _came(self, before: Cached | None, after: Cached | None) -> None:
        del before
        if after is not None:
            self.use()
