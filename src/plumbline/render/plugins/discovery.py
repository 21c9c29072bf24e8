"""Which plugin wants a source that says nothing of how it is rendered."""

from collections.abc import Iterable
from functools import partial
from typing import Final, Protocol

from msgspec.structs import replace

from plumbline.base.json import encode_sorted
from plumbline.render.environment import plugin_environment
from plumbline.render.kept import Kept
from plumbline.render.plugins.asking import Asking
from plumbline.render.plugins.plugin import Plugin
from plumbline.render.requests import Capabilities, Request
from plumbline.render.tools.content import content

_KEPT: Final = 16_384


class _Plugins(Protocol):
    def all(self) -> Iterable[Plugin]: ...


class Discovery:
    """Asks every plugin that discovers, in the order of their names; the first that wants a source has it.

    An answer holds for as long as nothing changes in the source's folder, in what the application tells the plugin of
    itself, and in the plugin; new commits and kinds alone are no reason to ask again. Upstream asks anew with every
    commit, and takes a plugin that cannot be asked for one that does not want it: what it renders would then be read as
    plain files, and what is missing among those would be pruned. Here that is an error.
    """

    def __init__(self, plugins: _Plugins) -> None:
        self._plugins = plugins
        self._answers: Kept[tuple[str, ...], bool] = Kept(_KEPT)
        self._asking: dict[str, Asking] = {}

    async def wanting(self, request: Request) -> str:
        """The name of the plugin that wants *request*; empty if none does."""
        who, party = request.whose, request.app.project
        seen: tuple[str, ...] = ()
        for plugin in self._plugins.all():
            asking = self._asked(plugin)
            if not await asking.discovers(who, party=party):
                continue
            seen = seen or (_told(request), *content(request.tree, request.place))
            asked = (plugin.name, asking.identity, request.place, *seen)
            answer = self._answers.get(asked)
            if answer is None:
                answer = await asking.answered(who, partial(plugin.claims, request), party=party)
                self._answers.put(asked, answer)
            if answer:
                return plugin.name
        return ""

    def _asked(self, plugin: Plugin) -> Asking:
        known = self._asking.get(plugin.name)
        if known is None or known.identity != plugin.identity():
            known = self._asking[plugin.name] = Asking(plugin)
        return known


def _told(request: Request) -> str:
    lasting = replace(request, app=replace(request.app, revision=""), capabilities=Capabilities())
    return encode_sorted(plugin_environment(lasting)).decode()
