"""Stored objects as bytes in the version that a request speaks."""

from collections.abc import Iterable

from plumbline.apiserver.models.model import Model
from plumbline.apiserver.storage.encoding import encoded, prefix_of
from plumbline.apiserver.storage.entries import Entry


class View:
    """Of one model. Where the stored bytes are what is asked for, they are not touched."""

    def __init__(self, model: Model) -> None:
        self._model = model
        kind = model.resource.kind
        self._as_stored = kind == model.resource.storage_kind and not model.resource.custom
        self._cut = 0 if model.resource.custom else len(prefix_of(kind.api_version, kind.kind))
        self._made: dict[Entry, bytes] = {}

    async def prepare(self, entries: Iterable[Entry]) -> None:
        """Have those converted that another process converts, all at once; must come before they are looked at."""
        self._made.clear()
        if not self._model.remote:
            return
        wanted = list(entries)
        version = self._model.resource.kind.api_version
        converted = await self._model.converted([entry.object() for entry in wanted], version)
        self._made = {entry: encoded(obj) for entry, obj in zip(wanted, converted, strict=True)}

    def whole(self, entry: Entry) -> bytes:
        if self._as_stored:
            return entry.body
        return self._made.get(entry) or self._model.served_bytes(entry)

    def item(self, entry: Entry) -> bytes:
        """As lists hold it: built-in kinds leave kind and apiVersion to the list."""
        whole = self.whole(entry)
        return b"{" + whole[self._cut :] if self._cut else whole
