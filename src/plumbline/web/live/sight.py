"""Who may see what: asked once for each of those who look and each thing, until permissions change."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from plumbline.web.requests import Request

_MOST: Final = 200_000


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody at a page."""

    session: str
    """Of which login: streams are counted by it."""
    identity: Hashable
    """All that permissions depend on. Those who have the same see the same."""
    asker: Any
    """Whatever the door and the sight know them by."""
    person: Hashable
    """Whoever it is, in however many sessions."""


class Door(Protocol):
    async def admit(self, request: Request) -> Viewer:
        """Raise Unauthenticated for somebody who has not said who they are."""

    async def holds(self, viewer: Viewer) -> bool:
        """Whether the session is still good: neither over nor revoked, nor is its account disabled."""


class Sight(Protocol):
    @property
    def version(self) -> Hashable:
        """Another one whenever a decision may have become another one."""

    def sees(self, asker: Any, topic: str, scope: str) -> bool: ...


class Sights:
    """Decisions that are remembered."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._version = sight.version
        self._known: dict[tuple[Hashable, str, str], bool] = {}

    @property
    def version(self) -> Hashable:
        version = self._sight.version
        if version != self._version:
            self._version = version
            self._known.clear()
        return version

    def of(self, viewer: Viewer) -> Callable[[str, str], bool]:
        """What *viewer* sees, by topic and scope; good until the version is another one."""
        known, identity = self._known, viewer.identity

        def sees(topic: str, scope: str) -> bool:
            key = (identity, topic, scope)
            found = known.get(key)
            if found is None:
                if len(known) >= _MOST:
                    known.clear()
                found = known[key] = self._sight.sees(viewer.asker, topic, scope)
            return found

        return sees
