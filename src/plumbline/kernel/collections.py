"""The collections of one cluster that somebody follows: each begun by whoever asks first, and shared from then on."""

import asyncio
from typing import NamedTuple

from plumbline.kernel.cache import Cache
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.tending import Tended
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.names import GroupVersionResource


class _Part(NamedTuple):
    resource: GroupVersionResource
    labels: str = ""
    fields: str = ""
    content: bool = True


class _Followed(NamedTuple):
    informer: Informer
    task: asyncio.Task[None]


class Collections:
    """`run` keeps them going; `follow` begins one, `leave` ends one whose kind is no more."""

    def __init__(self, client: Client, metrics: Metrics) -> None:
        self._client = client
        self._metrics = metrics
        self._followed: dict[_Part, _Followed] = {}
        self._tended = Tended()

    async def run(self) -> None:
        await self._tended.run()

    async def follow(
        self, resource: GroupVersionResource, *, labels: str = "", fields: str = "", cache: Cache | None = None
    ) -> tuple[Informer, bool]:
        """The informer of a collection, or of the part of it that is selected, and whether it was begun just now.

        *cache* is for whoever begins it; one that keeps no content is shared with those who want none either. The copy may
        not be complete yet: ask `synced`.
        """
        await self._tended.ready()
        content = cache is None or cache.relevance.content
        part = _Part(resource, labels, fields, content)
        known = self._followed.get(part)
        if known is not None:
            return known.informer, False
        informer = Informer(
            self._client,
            Target(resource),
            cache=cache,
            selection=Selection(labels=labels, fields=fields),
            metrics=self._metrics,
        )
        self._followed[part] = _Followed(informer, self._tended.begin(informer.run))
        return informer, True

    def followed(self, resource: GroupVersionResource, *, labels: str = "", fields: str = "") -> Informer | None:
        known = self._followed.get(_Part(resource, labels, fields))
        return known.informer if known is not None else None

    def leave(self, resource: GroupVersionResource) -> None:
        """The kind is no more, and nobody may ask for it again under this copy."""
        for part in [part for part in self._followed if part.resource == resource]:
            self._followed.pop(part).task.cancel()
