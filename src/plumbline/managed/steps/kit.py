"""What the steps are given, and what is remembered between looks. None of it has to survive the process."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.errors import (
    Conflict,
    Contested,
    Fenced,
    Forbidden,
    NeedsConsent,
    OwnedElsewhere,
    Refused,
    Throttled,
    Transient,
    Unauthenticated,
)
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.kernel.cache import Key
from plumbline.kernel.world import World
from plumbline.kube.client import Client
from plumbline.kube.names import GroupKind, Ref
from plumbline.managed.conditions import words
from plumbline.managed.configs import Configs
from plumbline.managed.connection import Connections
from plumbline.managed.descent import Descents
from plumbline.managed.hands import Hands
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.notes import Notes
from plumbline.managed.pacing import Haste, Throttles, spread
from plumbline.managed.references import Others
from plumbline.managed.state import Look
from plumbline.managed.waiting import Waiting

Place: TypeAlias = tuple[GroupKind, Key]
"""One managed resource among all."""


def place_of(kind: ManagedKind, run: Look) -> Place:
    return kind.group_kind, (run.read.ref.namespace, run.read.ref.name)


class Memory:
    """What was seen and asked for lately. A process that starts over may ask once more; nothing else comes of it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._absent: dict[Place, tuple[str, float]] = {}
        self._asked: dict[Place, tuple[bytes, float]] = {}
        self._seen: dict[Place, str] = {}
        self.deleting: set[Place] = set()
        """Of which we have asked for the deletion: that they are missing is no surprise."""
        self.unpublished: dict[Place, dict[str, Plaintext]] = {}
        """Connection details that a creation was answered with and that are not in their Secret yet."""

    def absent_for_s(self, place: Place, uid: str) -> float:
        """How long it has been missing, by our own clock: the first to ask hears zero."""
        known, since_s = self._absent.get(place, ("", 0.0))
        now_s = self._clock.monotonic()
        if known != uid:
            self._absent[place] = uid, now_s
            return 0.0
        return now_s - since_s

    def present(self, place: Place) -> None:
        self._absent.pop(place, None)

    def asked_s(self, place: Place, change: bytes) -> float:
        """How long ago this very change was asked for; infinity where it was not."""
        known, at_s = self._asked.get(place, (b"", 0.0))
        return self._clock.monotonic() - at_s if known == change else float("inf")

    def asks(self, place: Place, change: bytes) -> None:
        self._asked[place] = change, self._clock.monotonic()

    def first_look(self, place: Place, uid: str) -> bool:
        """Whether this process has not looked at it before."""
        return self._seen.get(place) != uid

    def looked(self, place: Place, uid: str) -> None:
        self._seen[place] = uid

    def forget(self, place: Place) -> None:
        for kept in (self._absent, self._asked, self._seen, self.unpublished):
            kept.pop(place, None)
        self.deleting.discard(place)


class Kit(NamedTuple):
    world: World
    client: Client
    notes: Notes
    hands: Hands
    connections: Connections
    configs: Configs
    descents: Descents
    others: Others
    older: Callable[[ManagedKind, JsonObject, Ref, str], JsonObject | None]
    """Who stands for the same thing already: the kind, the object, its config and its external name."""
    waiting: Waiting
    throttles: Throttles
    haste: Haste
    memory: Memory

    @asynccontextmanager
    async def calling(self, run: Look, config: Ref, place: Place) -> AsyncIterator[None]:
        """Round a call to a provider: whatever it refuses is tried again with growing patience, since it may change its mind.

        Told to slow down, nobody else calls through the same config either. Who waits for an answer keeps no others waiting.
        """
        try:
            with run.waiting():
                yield
        except (Fenced, Contested, NeedsConsent, OwnedElsewhere):
            raise  # said by the gate, not by the provider
        except Throttled as slow:
            pause_s = self.throttles.slow_down(config, slow.after_s)
            after_s = pause_s * (1 + spread(str(place)))
            raise Throttled(slow.what, after_s=after_s, why=slow.why) from slow
        except Conflict as busy:
            raise Transient(str(busy)) from busy
        except (Unauthenticated, Forbidden) as refused:
            self.configs.forget(config)
            raise Transient(words(refused)) from refused
        except Refused as refused:
            raise Transient(words(refused)) from refused
