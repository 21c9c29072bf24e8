"""Addresses and ports that Services take from, and the rule by which free ones are found.

Both have a lower part that is given out only when the upper one is full, so that people can choose values there
without meeting those that were given to others.
"""

import ipaddress
from collections.abc import Callable, Container
from typing import Final, TypeAlias

import msgspec

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Draw: TypeAlias = Callable[[int], int]
"""A number from 0 up to the one given, which is not among them."""

FULL: Final = "range is full"
_PROBES: Final = 1 << 16


class Band(msgspec.Struct, frozen=True):
    """Numbers from `first` to `last`; those before `upper` are given out last."""

    first: int
    upper: int
    last: int

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last

    def free(self, taken: Container[int], draw: Draw) -> int | None:
        """A number that is not *taken*, beginning somewhere; None where all are."""
        return _free(self.upper, self.last, taken, draw) or _free(self.first, self.upper - 1, taken, draw)


def _free(first: int, last: int, taken: Container[int], draw: Draw) -> int | None:
    size = last - first + 1
    if size <= 0:
        return None
    start = draw(size)
    for step in range(min(size, _PROBES)):
        number = first + (start + step) % size
        if number not in taken:
            return number
    return None


def address_band(network: Network) -> Band:
    """Every address but the network's own and, in IPv4, the one for all."""
    first, size = int(network.network_address) + 1, network.num_addresses
    last = int(network.broadcast_address) - (1 if network.version == 4 else 0)  # noqa: PLR2004 - the version of IPv4
    return Band(first, first + _reserved(size, most=256, step=16), last)


def port_band(first: int, last: int) -> Band:
    return Band(first, first + _reserved(last - first + 1, most=128, step=32), last)


def _reserved(size: int, *, most: int, step: int, least: int = 16) -> int:
    return 0 if size <= least else min(max(size // step, least), most)
