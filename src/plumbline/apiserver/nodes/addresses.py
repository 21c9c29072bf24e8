"""Addresses of pods: each node hands out those of its own part of the pod network, none of them twice."""

from collections.abc import Hashable
from ipaddress import IPv4Address, IPv4Network
from typing import Final

_FIRST: Final = 2
"""The first is the network's own, the second its gateway's."""


class AddressPool:
    """In turn, so that an address that was given back is not used again at once."""

    def __init__(self, network: IPv4Network) -> None:
        self._network = network
        self._holders: dict[str, Hashable] = {}
        self._held: dict[Hashable, str] = {}
        self._next = _FIRST

    def take(self, holder: Hashable) -> str:
        """The address of *holder*, the same each time it is asked; empty where none is left."""
        if holder in self._held:
            return self._held[holder]
        size = self._network.num_addresses - _FIRST - 1
        for _ in range(size):
            address = str(IPv4Address(int(self._network.network_address) + self._next))
            self._next = _FIRST + (self._next - _FIRST + 1) % size
            if address not in self._holders:
                self.hold(holder, address)
                return address
        return ""

    def hold(self, holder: Hashable, address: str) -> None:
        """*holder* has *address* already; who else had it, has it no more."""
        self.give_back(holder)
        before = self._holders.get(address)
        if before is not None:
            self._held.pop(before, None)
        self._holders[address] = holder
        self._held[holder] = address

    def give_back(self, holder: Hashable) -> None:
        address = self._held.pop(holder, None)
        if address is not None:
            del self._holders[address]
