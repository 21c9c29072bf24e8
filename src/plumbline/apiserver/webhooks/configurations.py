"""The webhooks that are configured right now, in the order in which they are asked."""

import msgspec

from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry
from plumbline.apiserver.storage.store import Store
from plumbline.apiserver.webhooks.hooks import MUTATING, VALIDATING, Hook, hooks_of
from plumbline.base.errors import BadSelector
from plumbline.base.log import logger

_log = logger(__name__)


class Configurations:
    """Follows the store; what a request needs of it is ready before the request comes."""

    def __init__(self, store: Store) -> None:
        self.mutating: tuple[Hook, ...] = ()
        self.validating: tuple[Hook, ...] = ()
        self._read: dict[Collection, dict[str, tuple[Hook, ...]]] = {MUTATING: {}, VALIDATING: {}}
        for collection, read in self._read.items():
            read.update((entry.key.name, _hooks(entry)) for entry in store.shelf(collection).entries())
        self._arrange()
        store.listen(self._observe)

    def _observe(self, change: Change) -> None:
        entry = change.entry
        read = self._read.get(entry.key.collection)
        if read is None:
            return
        if change.type is ChangeType.DELETED:
            read.pop(entry.key.name, None)
        else:
            read[entry.key.name] = _hooks(entry)
        self._arrange()

    def _arrange(self) -> None:
        self.mutating = _in_order(self._read[MUTATING])
        self.validating = _in_order(self._read[VALIDATING])


def _in_order(read: dict[str, tuple[Hook, ...]]) -> tuple[Hook, ...]:
    return tuple(hook for name in sorted(read) for hook in read[name])


def _hooks(entry: Entry) -> tuple[Hook, ...]:
    try:
        return hooks_of(entry.body)
    except (msgspec.MsgspecError, BadSelector) as bad:
        _log.error("webhook configuration unreadable", key=str(entry.key), error=str(bad))
        return ()
