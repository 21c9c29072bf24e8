"""Managed resources filed by what they say: found at once, however many there are, whoever keeps the copy of them."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.informer import Informer

Filing: TypeAlias = Callable[[Cached], Iterable[str]]


class Indexed:
    """One collection. Files follow its informer."""

    def __init__(self, informer: Informer, filings: Mapping[str, Filing]) -> None:
        self.informer = informer
        self._filings = filings
        self._files: dict[tuple[str, str], set[Key]] = {}
        for entry in informer.cache:
            self._changed(None, entry)
        informer.subscribe(self._changed)

    def filed(self, filing: str, value: str) -> list[Cached]:
        """Those that *filing* files under *value*, in the order of their keys."""
        found = (self.informer.cache.get(key) for key in sorted(self._files.get((filing, value), ())))
        return [each for each in found if each is not None]

    def _changed(self, before: Cached | None, after: Cached | None) -> None:
        for name, filing in self._filings.items():
            if before is not None:
                for value in filing(before):
                    self._files.get((name, value), set()).discard(before.meta.key)
                    if not self._files.get((name, value)):
                        self._files.pop((name, value), None)
            if after is not None:
                for value in filing(after):
                    self._files.setdefault((name, value), set()).add(after.meta.key)
