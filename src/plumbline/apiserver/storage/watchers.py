"""Who wants to know of changes. Delivery is to those alone whom a change can concern."""

import asyncio
from collections import deque
from collections.abc import Iterable

from plumbline.apiserver.storage.entries import Change

BACKLOG = 10_000
"""How many changes may wait for one watcher before it is given up: its client lists again."""
BACKLOG_BYTES = 256 << 20
"""How large they may be together. As much is kept in the history, so that all who lag behind share it."""


class Watcher:
    """Changes in one scope, in order. `lagging` once it did not keep up; nothing more comes then.

    `ended` once nothing comes after what waits.
    """

    def __init__(self, namespace: str = "", name: str = "") -> None:
        self.scope = (namespace, name)
        self.lagging = self.ended = False
        self._pending: deque[Change] = deque()
        self._pending_bytes = 0
        self._woken = asyncio.Event()

    def offer(self, change: Change) -> None:
        if len(self._pending) >= BACKLOG or self._pending_bytes > BACKLOG_BYTES:
            self.lagging = True
            self._pending.clear()
        if not self.lagging:
            self._pending.append(change)
            self._pending_bytes += change.weight_bytes
        self._woken.set()

    def catch_up(self, missed: Iterable[Change]) -> None:
        """What came before it watched, however much that is: it is kept anyway, and taken at once."""
        self._pending.extend(missed)
        self._woken.set()

    @property
    def waits(self) -> bool:
        """Whether something is there to be taken."""
        return bool(self._pending)

    def take(self) -> list[Change]:
        """Everything that waits; empty if nothing does."""
        taken = list(self._pending)
        self._pending.clear()
        self._pending_bytes = 0
        self._woken.clear()
        return taken

    def wake(self) -> None:
        self._woken.set()

    def end(self) -> None:
        self.ended = True
        self.wake()

    async def wait(self) -> None:
        """Until something waits, or somebody calls `wake`."""
        await self._woken.wait()


class Watchers:
    """Of one collection, by scope: (namespace, name), either of them empty for all."""

    def __init__(self) -> None:
        self._by_scope: dict[tuple[str, str], dict[Watcher, None]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._by_scope.values()))

    def add(self, watcher: Watcher, missed: Iterable[Change]) -> None:
        watcher.catch_up(change for change in missed if _concerns(change, watcher))
        self._by_scope.setdefault(watcher.scope, {})[watcher] = None

    def remove(self, watcher: Watcher) -> None:
        scope = self._by_scope.get(watcher.scope, {})
        scope.pop(watcher, None)
        if not scope:
            self._by_scope.pop(watcher.scope, None)

    def tell(self, change: Change) -> None:
        namespace, name = change.entry.key[1:]
        scopes = {("", ""), (namespace, ""), ("", name), (namespace, name)}
        for scope in scopes & self._by_scope.keys():
            for watcher in self._by_scope[scope]:
                watcher.offer(change)

    def close(self) -> None:
        for scope in self._by_scope.values():
            for watcher in scope:
                watcher.end()


def _concerns(change: Change, watcher: Watcher) -> bool:
    namespace, name = watcher.scope
    return namespace in ("", change.entry.key.namespace) and name in ("", change.entry.key.name)
