"""Which plugin wants a source that says nothing of how it is rendered."""

import asyncio
from collections.abc import Iterable
from typing import Final, Protocol

from plumbline.render.kept import Kept
from plumbline.render.plugins.plugin import Plugin
from plumbline.render.requests import Request
from plumbline.render.tools.content import content

_KEPT: Final = 16_384
_AT_A_TIME: Final = 2
"""Asking may take a core, as rendering does."""


class _Plugins(Protocol):
    def all(self) -> Iterable[Plugin]: ...


class Discovery:
    """Asks every plugin that discovers, in the order of their names; the first that wants a source has it.

    An answer holds for as long as nothing changes in the source's folder and in the plugin. Upstream asks anew with every
    commit, and takes a plugin that cannot be asked for one that does not want it: what it renders would then be read as
    plain files, and what is missing among those would be pruned. Here that is an error.
    """

    def __init__(self, plugins: _Plugins) -> None:
        self._plugins = plugins
        self._answers: Kept[tuple[str, ...], bool] = Kept(_KEPT)
        self._asking = asyncio.Semaphore(_AT_A_TIME)

    async def wanting(self, request: Request) -> str:
        """The name of the plugin that wants *request*; empty if none does."""
        seen: tuple[str, ...] = ()
        for plugin in self._plugins.all():
            if not await plugin.discovers():
                continue
            seen = seen or content(request.tree, request.place)
            if await self._wanted(plugin, request, seen):
                return plugin.name
        return ""

    async def _wanted(self, plugin: Plugin, request: Request, seen: tuple[str, ...]) -> bool:
        asked = (plugin.name, plugin.identity(), request.place, *seen)
        answer = self._answers.get(asked)
        if answer is None:
            async with self._asking:
                answer = await plugin.claims(request)
            self._answers.put(asked, answer)
        return answer
