"""Who waits for whom: a resource that refers to another is looked at as soon as the other can be referred to."""

from plumbline.kernel.cache import Cached, Key
from plumbline.kube.names import GroupKind, Ref


class Waiting:
    def __init__(self) -> None:
        self._sought: dict[Ref, set[tuple[GroupKind, Key]]] = {}
        self._waits: dict[tuple[GroupKind, Key], Ref] = {}

    def wait(self, waiter: tuple[GroupKind, Key], sought: Ref) -> None:
        """*waiter* cannot go on before *sought* is there; without a name: any of its kind that fits."""
        self.found(waiter)
        self._waits[waiter] = sought
        self._sought.setdefault(sought, set()).add(waiter)

    def found(self, waiter: tuple[GroupKind, Key]) -> None:
        """It waits no longer."""
        sought = self._waits.pop(waiter, None)
        if sought is None:
            return
        waiters = self._sought[sought]
        waiters.discard(waiter)
        if not waiters:
            del self._sought[sought]

    def woken(self, kind: GroupKind, entry: Cached) -> list[tuple[GroupKind, Key]]:
        """Who waits for what *entry* may be, in a fixed order."""
        namespace, name = entry.meta.key
        refs = (Ref(*kind, namespace, name), Ref(*kind, namespace, ""))
        return sorted({waiter for ref in refs for waiter in self._sought.get(ref, ())})
