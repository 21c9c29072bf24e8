"""What planning and applying take of the tool: so little that a test can stand in for it."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import Tree
from plumbline.terraform.work import Applied, Applying, Planned, Planning, Step, Workplace


class Session(Protocol):
    async def plan(self, planning: Planning, /) -> Planned: ...

    async def shown(self, plan: Plaintext, /) -> tuple[Plaintext, Plaintext]:
        """A plan as JSON and as text: one that changes nothing comes without."""

    async def apply(self, applying: Applying, told: Callable[[Step], None], /) -> Applied: ...

    async def state(self) -> Plaintext:
        """The state as it is now, whole; empty where there is none yet."""


class Tool(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def opened(self, tree: Tree, workplace: Workplace) -> AbstractAsyncContextManager[Session]:
        """The module with everything in place, ready to be planned."""
