"""What changed, as feeds tell of it, and how several changes of one thing become one."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeAlias

from plumbline.base.json import Json


class Kind(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    """Of a key that a page does not know, an addition."""
    DELETED = "DELETED"
    """Of a key that a page does not know, nothing."""


class Change(NamedTuple):
    key: str
    """Which thing of the topic it is."""
    kind: Kind
    payload: Json = None
    """What a page is shown: anything that JSON can hold, Structs among it. It must not change once it was told."""
    scope: str = ""
    """What permissions are asked about, such as `PROJECT/NAME`."""
    was: str | None = None
    """The scope that it had before, where that was another one."""


Tell: TypeAlias = Callable[[Change], None]
"""Called on the event loop. It does not wait, and is as cheap for a change that nobody will see."""


class Feed(Protocol):
    """Where the changes of topics come from."""

    def following(self, topic: str, tell: Tell) -> AbstractAsyncContextManager[None]:
        """Tell of every change of *topic* from the moment that it is entered until it is left.

        It is entered when somebody first listens. If it raises, within or on the way, pages are told to fetch all
        anew, and it is entered again after a while.
        """


def merged(first: Change, second: Change) -> Change:
    """One change that leaves whoever is told of it, whatever they may see, as the two would have left them."""
    kind = second.kind
    origin: str | None = first.scope if first.was is None else first.was
    if first.kind is Kind.ADDED:
        kind = Kind.ADDED if kind is not Kind.DELETED else kind
        # Nobody was told of the scopes in between, so that nobody has to be told that it left them.
        origin = None
    elif kind is Kind.ADDED:
        kind = Kind.MODIFIED
    return second._replace(kind=kind, was=None if origin == second.scope else origin)
