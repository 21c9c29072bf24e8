"""Applications that wait for others: what is still missing, in words."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.delivery.routing import Routes, dependencies
from plumbline.kernel.cache import Cache, Key


class _Said(msgspec.Struct, frozen=True):
    status: str = ""


class _Status(msgspec.Struct, frozen=True):
    sync: _Said = _Said()
    health: _Said = _Said()


class _Application(msgspec.Struct, frozen=True):
    status: _Status = _Status()


_decoder: Final = msgspec.json.Decoder(_Application)
_WELL: Final = "Healthy"


class Depending:
    def __init__(self, routes: Routes, applications: Callable[[], Cache]) -> None:
        self._routes = routes
        self._applications = applications

    def missing(self, key: Key, annotations: Mapping[str, str]) -> str:
        """What *key* has to wait for before it is synced; empty if nothing. Raises InvalidInput where it waits for itself."""
        wanted = dependencies(annotations, key[0])
        if not wanted:
            return ""
        circle = self._routes.cycle(key)
        if circle:
            way = " -> ".join(name for _, name in circle)
            raise InvalidInput("Applications depend on each other in a circle", why=way, hint="Take one of them out.")
        return next(filter(None, map(self._lacking, wanted)), "")

    def remaining(self, key: Key) -> Iterable[Key]:
        """Applications that depend on *key* and are being deleted as well: they go first."""
        for dependent in sorted(self._routes.dependents(key)):
            entry = self._applications().get(dependent)
            if entry is not None and entry.meta.deletion_timestamp:
                yield dependent

    def _lacking(self, key: Key) -> str:
        entry = self._applications().get(key)
        if entry is None:
            return f"waiting for application {key[1]}, which does not exist"
        try:
            status = _decoder.decode(entry.raw).status
        except msgspec.DecodeError:
            return f"waiting for application {key[1]}, whose status cannot be read"
        if status.sync.status != "Synced":
            return f"waiting for application {key[1]} to be Synced, it is {status.sync.status or 'Unknown'}"
        if status.health.status != _WELL:
            return f"waiting for application {key[1]} to be Healthy, it is {status.health.status or 'Unknown'}"
        return ""
