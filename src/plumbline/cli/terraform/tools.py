"""The tool as verbs use it: found once, with a store of providers that all runs of this user share."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from plumbline.base.environment import home
from plumbline.base.tree import Tree
from plumbline.terraform.changed import rooms
from plumbline.terraform.tool import Session, Tool, Toolroom, found
from plumbline.terraform.tool.finding import PREFERENCE
from plumbline.terraform.work import Workplace

_FOLDER: Final = ".plumbline/terraform"


class Ready:
    """A tool with a room to work in."""

    def __init__(self, chosen: Tool, room: Toolroom) -> None:
        self._chosen, self._room = chosen, room

    @property
    def name(self) -> str:
        return self._chosen.name

    @property
    def version(self) -> str:
        return self._chosen.version

    def opened(self, tree: Tree, workplace: Workplace) -> AbstractAsyncContextManager[Session]:
        return self._room.opened(tree, workplace)


@asynccontextmanager
async def tool(name: str, parallel: int) -> AsyncIterator[rooms.Tool]:
    """The one of that *name*, or whichever there is for `auto`. Raises ToolMissing."""
    preference = PREFERENCE if name == "auto" else (name,)
    yield Ready(await found(preference), Toolroom(home() / _FOLDER, lambda: found(preference), parallel=parallel))
