"""What one write of a Service takes, until it is stored or given up."""

import ipaddress
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.apiserver import statuses
from plumbline.apiserver.allocation.pools import FULL, Band
from plumbline.apiserver.allocation.usage import Usage, discard
from plumbline.apiserver.fielderrors import FieldError
from plumbline.base.errors import RequestRefused
from plumbline.base.ids import Ids
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind

TAKEN_ADDRESS: Final = "provided IP is already allocated"
STRANGE_ADDRESS: Final = "the provided network does not match the current range"
TAKEN_PORT: Final = "provided port is already allocated"
STRANGE_PORT: Final = "provided port is not in the valid range. The range of valid ports is {first}-{last}"
_DRY_PORT: Final = 32768
"""A dry run shows ports that nobody can have."""
_KIND: Final = GroupKind("", "Service")


class Pools(NamedTuple):
    addresses: Mapping[str, Band]
    """By family."""
    ports: Band
    ranges: Mapping[str, str]
    """The same addresses as people write them."""


class Claims:
    """Of one Service. A dry run claims nothing: it looks, and shows values that are good for nothing but being shown."""

    def __init__(self, name: str, usage: Usage, pools: Pools, ids: Ids, *, dry_run: bool) -> None:
        self._name = name
        self._usage = usage
        self._ids = ids
        self._addresses, self._ports, self._ranges = pools
        self._dry_run = dry_run
        self._claimed: list[tuple[Counter[int], int]] = []
        self._shown: list[int] = []

    def close(self) -> None:
        """Give up every claim; whoever was stored meanwhile holds by that."""
        for counted, number in self._claimed:
            discard(counted, number)
        self._claimed = []

    def invalid(self, *errors: FieldError) -> RequestRefused:
        return statuses.invalid(_KIND, self._name, errors)

    def next_address(self, family: str) -> str:
        band = self._addresses[family]
        if self._dry_run:
            return str(ipaddress.ip_address(band.first - 1))
        found = band.free(self._usage.addresses, self._draw)
        if found is None:
            raise statuses.internal(f"failed to allocate a serviceIP for Service {quoted(self._name)}: {FULL}")
        self._claim(self._usage.addresses, found)
        return str(ipaddress.ip_address(found))

    def take_address(self, family: str, address: int) -> str:
        """Why it cannot be had, or nothing."""
        if address not in self._addresses[family]:
            return self._strange_address(family, address)
        if self._dry_run:
            return ""
        if address in self._usage.addresses:
            return TAKEN_ADDRESS
        self._claim(self._usage.addresses, address)
        return ""

    def _strange_address(self, family: str, address: int) -> str:
        if not self._dry_run:
            return STRANGE_ADDRESS
        valid = f"The range of valid IPs is {self._ranges[family]}"
        return f"the provided IP ({ipaddress.ip_address(address)}) is not in the valid range. {valid}"

    def next_port(self) -> int:
        if self._dry_run:
            self._shown.append(max(self._shown, default=_DRY_PORT) + 1)
            return self._shown[-1]
        found = self._ports.free(self._usage.ports, self._draw)
        if found is None:
            raise statuses.internal(f"failed to allocate a nodePort: {FULL}")
        self._claim(self._usage.ports, found)
        return found

    def take_port(self, port: int) -> str:
        """Why it cannot be had, or nothing."""
        if not self._dry_run and port not in self._ports:
            return STRANGE_PORT.format(first=self._ports.first, last=self._ports.last)
        if port in self._usage.ports or port in self._shown:
            return TAKEN_PORT
        if self._dry_run:
            self._shown.append(port)
        else:
            self._claim(self._usage.ports, port)
        return ""

    def _claim(self, counted: Counter[int], number: int) -> None:
        counted[number] += 1
        self._claimed.append((counted, number))

    def _draw(self, below: int) -> int:
        return min(int(self._ids.between(0, below)), below - 1)
