"""Who uses what: every Usage of the cluster, filed under what it protects."""

from collections.abc import Callable, Iterable
from typing import Any

from plumbline.composition.usages.values import Usage, usage_of
from plumbline.kernel.cache import Cached
from plumbline.kernel.informer import Informer
from plumbline.kinds.kind import Kind
from plumbline.kube.names import Ref


class Register:
    """True to the copies that it follows. Filed here and not by them: others may have begun those before us."""

    def __init__(self) -> None:
        self._filed: dict[Ref, dict[str, Usage]] = {}
        self._released: set[str] = set()

    def follow(self, kind: Kind[Any, Any], informer: Informer) -> None:
        for entry in informer.cache:
            self._put(usage_of(kind, entry.object()))
        informer.subscribe(self._filing(kind))

    def of(self, used: Ref) -> list[Usage]:
        """Whoever uses it, in the order in which people are told."""
        return ordered(self._filed.get(used, {}).values())

    def others(self, used: Ref, uid: str) -> list[Usage]:
        """Whoever uses it beside *uid*, but for those that have let go of it."""
        return [each for each in self.of(used) if each.uid != uid and each.uid not in self._released]

    def release(self, uid: str) -> None:
        """It has let go of what it used, and is about to be gone: the last of several is the one whom nobody follows."""
        self._released.add(uid)

    def _filing(self, kind: Kind[Any, Any]) -> Callable[[Cached | None, Cached | None], None]:
        def changed(before: Cached | None, after: Cached | None) -> None:
            if before is not None:
                self._drop(usage_of(kind, before.object()))
            if after is not None:
                self._put(usage_of(kind, after.object()))
            elif before is not None:
                self._released.discard(before.meta.uid)

        return changed

    def _put(self, usage: Usage) -> None:
        if usage.of is not None:
            self._filed.setdefault(usage.of, {})[usage.uid] = usage

    def _drop(self, usage: Usage) -> None:
        if usage.of is None:
            return
        filed = self._filed.get(usage.of, {})
        filed.pop(usage.uid, None)
        if not filed:
            self._filed.pop(usage.of, None)


def ordered(usages: Iterable[Usage]) -> list[Usage]:
    return sorted(usages, key=lambda usage: usage.order)
