"""Addresses and ports for Services: given when one is created or changes its type, and held until it is stored."""

import ipaddress
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

import msgspec

from plumbline.apiserver.allocation.addresses import with_addresses
from plumbline.apiserver.allocation.carrying import carried, normalized
from plumbline.apiserver.allocation.claims import Claims, Pools
from plumbline.apiserver.allocation.families import IPV4, IPV6, with_families
from plumbline.apiserver.allocation.pools import Band, Network, address_band, port_band
from plumbline.apiserver.allocation.ports import with_ports
from plumbline.apiserver.allocation.usage import SERVICES, Usage
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.storage.store import Store
from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject


class ServiceNetwork(msgspec.Struct, frozen=True):
    """Where Services live: one range of addresses, or two of different families, and the ports on nodes."""

    ranges: tuple[Network, ...] = (ipaddress.ip_network("10.96.0.0/16"),)
    first_port: int = 30000
    last_port: int = 32767

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(_family(network) for network in self.ranges)

    @property
    def bands(self) -> Mapping[str, Band]:
        return {_family(network): address_band(network) for network in self.ranges}


def _family(network: Network) -> str:
    return IPV4 if network.version == 4 else IPV6  # noqa: PLR2004 - the version of IPv4


class ServiceAllocator:
    """Implements `Reservations`. What is taken is what the store says; nothing else is written down anywhere."""

    def __init__(self, store: Store, ids: Ids, network: ServiceNetwork | None = None) -> None:
        self._network = network or ServiceNetwork()
        self._usage = Usage(store)
        self._ids = ids
        self._pools = Pools(
            self._network.bands,
            port_band(self._network.first_port, self._network.last_port),
            {_family(each): str(each) for each in self._network.ranges},
        )

    def held(self, scope: Scope, obj: JsonObject, old: JsonObject | None) -> AbstractContextManager[JsonObject]:
        if scope.resource.collection != SERVICES or scope.subresource:
            return nullcontext(obj)
        return self._reserved(obj, old, dry_run=scope.dry_run)

    @contextmanager
    def _reserved(self, obj: JsonObject, old: JsonObject | None, *, dry_run: bool) -> Iterator[JsonObject]:
        name = text(mapping(obj.get("metadata")).get("name"))
        claims = Claims(name, self._usage, self._pools, self._ids, dry_run=dry_run)
        try:
            yield {**obj, "spec": self._allocated(obj, old, claims)}
        finally:
            claims.close()

    def _allocated(self, obj: JsonObject, old: JsonObject | None, claims: Claims) -> JsonObject:
        spec, before = mapping(obj.get("spec")), mapping(old.get("spec")) if old is not None else None
        spec = normalized(spec) if before is None else carried(spec, before)
        spec, errors = with_families(spec, before, self._network.families)
        if errors:
            raise claims.invalid(*errors)
        return with_ports(with_addresses(spec, before, claims), before, claims)
