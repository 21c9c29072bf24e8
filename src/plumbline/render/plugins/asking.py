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
    Once several of one party got none, and nobody got one since, nobody of that party waits for it any more: one at a time
    finds out whether it answers again, and the others are told at once. Those of other parties may have other files.
    """

    def __init__(self, plugin: Plugin) -> None:
        self.identity = plugin.identity()
        self._plugin = plugin
        self._places = Places(_AT_A_TIME, _LENGTHY, _PATIENCE_S)
        self._unanswered: dict[str, set[Hashable]] = {}
        """By party."""
        self._trying: set[str] = set()
        self._discovers: bool | None = None

    async def discovers(self, who: Hashable, *, party: str = "") -> bool:
        if self._discovers is None:
            self._discovers = await self.answered(who, self._plugin.discovers, party=party)
        return self._discovers

    async def answered(self, who: Hashable, question: Callable[[], Awaitable[bool]], *, party: str = "") -> bool:
        """What the plugin says to *question*, which *who* of *party* has."""
        self._check(party)
        return await self._places.run(who, lambda: self._asked(who, question, party), party=party)

    async def _asked(self, who: Hashable, question: Callable[[], Awaitable[bool]], party: str) -> bool:
        self._check(party)
        trying = self._silent(party)
        if trying:
            self._trying.add(party)
        try:
            answer = await question()
        except (LimitExceeded, TimedOut):
            if not self._silent(party):
                self._unanswered.setdefault(party, set()).add(who)
            raise
        except PlumblineError:
            self._unanswered.clear()  # a complaint is an answer
            raise
        finally:
            if trying:
                self._trying.discard(party)
        self._unanswered.clear()
        return answer

    def _silent(self, party: str) -> bool:
        return len(self._unanswered.get(party, ())) >= _ENOUGH

    def _check(self, party: str) -> None:
        if self._silent(party) and party in self._trying:
            raise TimedOut(
                f"plugin {self._plugin.name} does not answer",
                why=f"{_ENOUGH} sources asked it in vain whether they are for it",
                hint="Start it anew, or name the tool in the source: then nobody has to ask.",
            )
