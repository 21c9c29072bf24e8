"""Files that somebody has at hand and sends along, to be rendered as if they were in Git: packed, and within bounds."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.limits import UPLOADED_BYTES
from plumbline.base.tree import Tree, joined
from plumbline.delivery.valuesfrom import VALUES_FROM
from plumbline.kube.object import Object
from plumbline.source.charts.archives import unpacked
from plumbline.web.api.resources.asking import Asked, Reception
from plumbline.web.api.rights import APPLICATIONS

_AT_ONCE: Final = 2
"""Unpacked they are in memory: whoever comes third waits."""


class Folder(NamedTuple):
    tree: Tree
    path: str | None


class Uploads:
    def __init__(self, reception: Reception) -> None:
        self._reception = reception
        self._turns = asyncio.Semaphore(_AT_ONCE)

    @asynccontextmanager
    async def folder(self, asked: Asked) -> AsyncIterator[Folder]:
        """What came with the request, for as long as it is rendered; the parameter `path` says where manifests are in it.

        Without that it is all of a repository. An application that takes values from outside of Git gives them to whatever
        is rendered for it, so that such files take the right to override what is in Git.
        """
        if VALUES_FROM in Object(asked.app).annotations:
            self._reception.parts.desk.rights.demand(asked.found.asker, APPLICATIONS, "override", asked.found.called)
        said = asked.query.get("path")
        path = None if said is None else joined("", said)
        async with self._turns:
            content = await asked.request.body(UPLOADED_BYTES)
            if not content:
                raise InvalidInput("there are no files at hand", why="the request has no body")
            yield Folder(await self._reception.parts.elsewhere(lambda: unpacked(content).tree()), path)
