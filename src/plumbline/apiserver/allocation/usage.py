"""Which addresses and ports the stored Services have, kept up to date by the store itself."""

from collections import Counter
from typing import Final, NamedTuple

from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry, Key
from plumbline.apiserver.storage.store import Store
from plumbline.apiserver.strategies.services.needs import held_ports, needs_address
from plumbline.apiserver.validation.addresses import parse_ip
from plumbline.apiserver.validation.shapes import mapping, texts
from plumbline.base.json import JsonObject

SERVICES: Final = Collection("", "services")


class Holding(NamedTuple):
    addresses: frozenset[int]
    ports: frozenset[int]


class Usage:
    """What is taken: by what is stored, and by what is on its way there."""

    def __init__(self, store: Store) -> None:
        self._holdings: dict[Key, Holding] = {}
        self.addresses: Counter[int] = Counter()
        self.ports: Counter[int] = Counter()
        for entry in store.shelf(SERVICES).entries():
            self._hold(entry)
        store.listen(self._observe)

    def _observe(self, change: Change) -> None:
        if change.entry.key.collection != SERVICES:
            return
        self._release(change.entry.key)
        if change.type is not ChangeType.DELETED:
            self._hold(change.entry)

    def _hold(self, entry: Entry) -> None:
        holding = _held(mapping(entry.object().get("spec")))
        self._holdings[entry.key] = holding
        self.addresses.update(holding.addresses)
        self.ports.update(holding.ports)

    def _release(self, key: Key) -> None:
        holding = self._holdings.pop(key, None)
        if holding is not None:
            discard(self.addresses, *holding.addresses)
            discard(self.ports, *holding.ports)


def discard(counted: Counter[int], *numbers: int) -> None:
    for number in numbers:
        counted[number] -= 1
        if counted[number] <= 0:
            del counted[number]


def _held(spec: JsonObject) -> Holding:
    listed = texts(spec.get("clusterIPs")) if needs_address(spec) else []
    addresses = (parse_ip(ip) for ip in listed)
    return Holding(
        frozenset(int(address.ip) for address in addresses if address is not None), frozenset(held_ports(spec))
    )
