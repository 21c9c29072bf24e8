"""Secrets that are written down in the store itself, for trying things out."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.providers import FakeProvider
from plumbline.secrets.stores.names import fitting, unspoken_search
from plumbline.secrets.stores.properties import entries_of, property_of
from plumbline.secrets.stores.store import Remote, Search

_READY: Final = 0
_UNKNOWN: Final = 1


def opened(spec: FakeProvider) -> "FakeStore":
    """Raises InvalidInput for an entry that says nothing."""
    for at, item in enumerate(spec.data):
        if not item.key or not item.value:
            what = "key must be set" if not item.key else "at least one value must be set"
            raise InvalidInput("The fake store cannot be used", why=f"{what} in data {at}")
    return FakeStore(spec)


class FakeStore:
    def __init__(self, spec: FakeProvider) -> None:
        self._held = {(item.key, item.version): Plaintext(item.value) for item in spec.data}
        self._result = spec.validation_result or _READY

    async def value(self, remote: Remote) -> Plaintext:
        held = self._held.get((remote.key, remote.version))
        if held is None:
            version = f" in version {remote.version}" if remote.version else ""
            raise NotFound(f"There is no secret {remote.key}{version}")
        if not remote.property:
            return held
        part = property_of(held, remote.property)
        if part is None:
            raise NotFound(f"Secret {remote.key} has no property {remote.property}")
        return part

    async def entries(self, remote: Remote) -> Mapping[str, Plaintext]:
        return entries_of(await self.value(remote))

    async def search(self, search: Search) -> Mapping[str, Plaintext]:
        """By name only. Of several versions the last one counts, in the order of letters."""
        if not search.name:
            raise unspoken_search()
        fits = fitting(search)
        return {key: self._held[key, version] for key, version in sorted(self._held) if fits(key)}

    async def check(self) -> bool:
        if self._result not in (_READY, _UNKNOWN):
            raise InvalidInput("The fake store is not valid", why="unable to validate")
        return self._result == _READY

    async def close(self) -> None:
        """Nothing is held open."""
