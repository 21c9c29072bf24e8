"""Stored objects as bytes in the version that a request speaks."""

from plumbline.apiserver.models.model import Model
from plumbline.apiserver.storage.encoding import prefix_of
from plumbline.apiserver.storage.entries import Entry


class View:
    """Of one model. Where the stored bytes are what is asked for, they are not touched."""

    def __init__(self, model: Model) -> None:
        self._model = model
        kind = model.resource.kind
        self._as_stored = kind == model.resource.storage_kind and not model.resource.custom
        self._cut = 0 if model.resource.custom else len(prefix_of(kind.api_version, kind.kind))

    def whole(self, entry: Entry) -> bytes:
        if self._as_stored:
            return entry.body
        return self._model.served_bytes(entry)

    def item(self, entry: Entry) -> bytes:
        """As lists hold it: built-in kinds leave kind and apiVersion to the list."""
        whole = self.whole(entry)
        return b"{" + whole[self._cut :] if self._cut else whole
