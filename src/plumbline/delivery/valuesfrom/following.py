"""Watches on the very objects that values are taken from: begun with the first who takes some, ended with the last.

Nobody's other Secrets are ever seen, and who uses none costs nothing.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from plumbline.base.errors import InvalidInput, PlumblineError, Unreachable
from plumbline.delivery.valuesfrom.contents import holder_of
from plumbline.delivery.valuesfrom.reading import RESOURCES, maker_of
from plumbline.delivery.valuesfrom.references import Place, Reference
from plumbline.kernel.cache import Cache, Cached, Key, Relevance
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.tending import Tended
from plumbline.kube.client import Client, Selection, Target

_FIRST_S: Final = 5.0


class _Followed:
    def __init__(self, informer: Informer, task: asyncio.Task[None]) -> None:
        self.informer = informer
        self.task = task
        self.seen = False
        """Whether somebody has looked at it since it was complete: before that, nothing of it is news."""
        self.users: dict[Key, frozenset[Reference]] = {}


class Following:
    """`run` keeps the watches going; *wake* is told who has to look again. It must not wait."""

    def __init__(self, client: Client, metrics: Metrics, wake: Callable[[Key], None]) -> None:
        self._client = client
        self._metrics = metrics
        self._wake = wake
        self._followed: dict[Place, _Followed] = {}
        self._uses: dict[Key, set[Place]] = {}
        self._tended = Tended()

    async def run(self) -> None:
        await self._tended.run()

    @property
    def places(self) -> frozenset[Place]:
        """What is watched now."""
        return frozenset(self._followed)

    async def found(self, user: Key, place: Place, reference: Reference) -> Cached | None:
        await self._tended.ready()
        followed = self._followed.get(place)
        if followed is None:
            followed = self._followed[place] = self._begun(place)
        followed.users[user] = followed.users.get(user, frozenset()) | {reference}
        self._uses.setdefault(user, set()).add(place)
        await _complete(followed, place)
        return followed.informer.cache.get((place.namespace, place.name))

    async def maker(self, place: Place) -> str:
        return await maker_of(self._client, place)

    def keep(self, user: Key, uses: Mapping[Place, frozenset[Reference]]) -> None:
        for place in self._uses.pop(user, set()):
            followed = self._followed[place]
            if place in uses:
                followed.users[user] = uses[place]
                self._uses.setdefault(user, set()).add(place)
                continue
            del followed.users[user]
            if not followed.users:
                self._followed.pop(place).task.cancel()

    def _begun(self, place: Place) -> _Followed:
        informer = Informer(
            self._client,
            Target(RESOURCES[place.kind], place.namespace),
            cache=Cache(Relevance(status=False)),
            selection=Selection(fields=f"metadata.name={place.name}"),
            metrics=self._metrics,
        )
        informer.subscribe(lambda before, after: self._changed(place, before, after))
        return _Followed(informer, self._tended.begin(informer.run))

    def _changed(self, place: Place, before: Cached | None, after: Cached | None) -> None:
        followed = self._followed.get(place)
        if followed is None or not followed.seen:
            return
        was, now = _parts(before, place), _parts(after, place)
        for user, uses in list(followed.users.items()):
            if any(_used(was, each, place) != _used(now, each, place) for each in uses):
                self._wake(user)


async def _complete(followed: _Followed, place: Place) -> None:
    """Returns once the copy is complete. Raises Unreachable where that takes too long: whoever looks again finds out."""
    if not followed.seen:
        troubled = followed.informer.interrupted
        try:
            async with asyncio.timeout(0 if troubled is not None else _FIRST_S):
                await followed.informer.synced()
        except TimeoutError:
            error: PlumblineError | None = followed.informer.interrupted
            raise Unreachable(f"{place} cannot be read", why=str(error or "there was no answer")) from None
        followed.seen = True


def _parts(entry: Cached | None, place: Place) -> dict[str, Any] | None:
    """What can matter to anybody, as it is stored."""
    if entry is None:
        return None
    obj = entry.object()
    if place.kind == "terraform":
        try:
            return {"holder": holder_of(obj, place), "uid": entry.meta.uid}
        except InvalidInput:
            return {"holder": None, "uid": entry.meta.uid}
    owners = frozenset(each.uid for each in entry.meta.owner_references)
    return {"data": {**(obj.get("data") or {}), **(obj.get("binaryData") or {})}, "owners": owners}


def _used(parts: dict[str, Any] | None, reference: Reference, place: Place) -> object:
    """Of *parts*, what *reference* takes."""
    if parts is None or place.kind == "terraform":
        return parts
    keys = {name for key, _ in reference.keys for name in (key, f"{key}__type")}
    taken = {key: value for key, value in parts["data"].items() if not keys or key in keys}
    return taken, parts["owners"] if reference.place.kind == "terraform" else None
