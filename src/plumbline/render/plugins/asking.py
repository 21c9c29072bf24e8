"""How long others wait while a plugin does not answer."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Final

from plumbline.base.errors import LimitExceeded, PlumblineError, TimedOut
from plumbline.render.places import Places
from plumbline.render.plugins.plugin import Plugin

_AT_A_TIME: Final = 2
"""Asking may take a core, as rendering does."""
_LENGTHY: Final = 4
_PATIENCE_S: Final = 5.0
_ENOUGH: Final = 3


class Asking:
    """Questions to one plugin, as it is since its last start.

    There may be files with which it never ends: that one source got no answer says nothing of others, which pass by it.
    Once several got none, and nobody got one since, nobody waits for it any more: one at a time finds out whether
    it answers again, and all others are told at once.
    """

    def __init__(self, plugin: Plugin) -> None:
        self.identity = plugin.identity()
        self._plugin = plugin
        self._places = Places(_AT_A_TIME, _LENGTHY, _PATIENCE_S)
        self._unanswered: set[Hashable] = set()
        self._trying = False
        self._discovers: bool | None = None

    async def discovers(self, who: Hashable) -> bool:
        if self._discovers is None:
            self._discovers = await self.answered(who, self._plugin.discovers)
        return self._discovers

    async def answered(self, who: Hashable, question: Callable[[], Awaitable[bool]]) -> bool:
        """What the plugin says to *question*, which *who* has."""
        self._check()
        return await self._places.run(who, lambda: self._asked(who, question))

    async def _asked(self, who: Hashable, question: Callable[[], Awaitable[bool]]) -> bool:
        self._check()
        trying = self._silent
        self._trying = self._trying or trying
        try:
            answer = await question()
        except (LimitExceeded, TimedOut):
            if not self._silent:
                self._unanswered.add(who)
            raise
        except PlumblineError:
            self._unanswered.clear()  # a complaint is an answer
            raise
        finally:
            if trying:
                self._trying = False
        self._unanswered.clear()
        return answer

    @property
    def _silent(self) -> bool:
        return len(self._unanswered) >= _ENOUGH

    def _check(self) -> None:
        if self._silent and self._trying:
            raise TimedOut(
                f"plugin {self._plugin.name} does not answer",
                why=f"{_ENOUGH} sources asked it in vain whether they are for it",
                hint="Start it anew, or name the tool in the source: then nobody has to ask.",
            )
