"""What verbs ask about clusters, whoever answers."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.delivery.joining.edits import Edit
from plumbline.delivery.joining.reaching import State
from plumbline.delivery.joining.secrets import Described
from plumbline.delivery.settings.clusters import Cluster

_URL: Final = re.compile(r"https?://")


class Listed(NamedTuple):
    cluster: Cluster
    state: State


class Roster(Protocol):
    async def listed(self, text: str = "", *, states: bool = True) -> list[Listed]:
        """This one first, then the others by address; with *text*, those that it means by address or name."""

    async def add(self, cluster: Described, *, upsert: bool) -> None: ...

    async def change(self, cluster: Cluster, edit: Edit) -> None: ...

    async def remove(self, cluster: Cluster) -> None: ...

    async def rotate(self, cluster: Cluster) -> None:
        """Another token for the account that we come as; the old one ends."""


async def one(roster: Roster, text: str, *, states: bool = False) -> Listed:
    """By address or by name. Raises NotFound, InvalidInput where several have the name."""
    fitting = await roster.listed(text, states=states)
    if not fitting:
        raise NotFound(f"there is no cluster {text}", hint="See which there are with: plumb cluster list.")
    if len(fitting) > 1:
        raise InvalidInput(f"{len(fitting)} clusters are called {text}", hint="Name its address.")
    return fitting[0]


def meant(clusters: Sequence[Cluster], text: str) -> list[Cluster]:
    """Those that *text* means: all where it is empty."""
    by_address = _URL.match(text)
    return [
        each for each in clusters if not text or (each.server == text.rstrip("/") if by_address else each.name == text)
    ]
