"""Accounts of a vendor: one for each ProviderConfig, and the way that its calls take."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.kube.client.credentials import Credentials
from plumbline.kube.client.transport import Transport
from plumbline.managed.endpoints import Endpoints
from plumbline.managed.external import Config
from plumbline.providers.rest.connections import Opened, connected, endpoint_of
from plumbline.providers.rest.tokens import Connect
from plumbline.providers.turns import Turns

_ACCOUNTS: Final = 256

S = TypeVar("S")


class Account(Protocol):
    async def close(self) -> None: ...


A = TypeVar("A", bound=Account)


class Ways(msgspec.Struct, frozen=True):
    """How calls to a vendor go out: to the vendor, to what stands in for it, or to where a ProviderConfig may send them."""

    vendor: str
    own: frozenset[str]
    """Sources of credentials that use nothing of ours: only these may be sent to an endpoint that somebody names."""
    endpoints: Endpoints
    base_urls: Mapping[str, str]
    """Replaces addresses of the vendor's services."""
    connect: Connect | None = None

    def opened(self, config: Config, source: str) -> Opened:
        """For *config*, whose credentials are of *source*. Raises Refused for an endpoint that is not allowed."""
        endpoint = endpoint_of(config, source, endpoints=self.endpoints, own=self.own, vendor=self.vendor)
        connect = self.connect or connected(self.vendor)

        def open_(base: str, credentials: Credentials | None) -> Transport:
            return connect(endpoint or self.base_urls.get(base, base), credentials)

        return Opened(open_, replaced=bool(endpoint or self.base_urls))


class Kept(Generic[A]):
    """One account for each ProviderConfig, made anew when it or its Secret changes; those that were used last."""

    def __init__(self, make: Callable[[Config], Awaitable[A]]) -> None:
        self._make = make
        self._accounts: dict[str, tuple[str, A]] = {}
        self._turns = Turns()

    async def of(self, config: Config) -> A:
        """Raises Refused or InvalidInput for a ProviderConfig that cannot be used."""
        key = str(config.ref)
        async with self._turns.of(key):
            version, account = self._accounts.get(key, ("", None))
            if account is not None and version == config.version:
                self._accounts[key] = self._accounts.pop(key)  # the first one is who was not used for longest
                return account
            made = await self._make(config)
            await self._keep(key, config.version, made)
            return made

    async def _keep(self, key: str, version: str, made: A) -> None:
        replaced = self._accounts.pop(key, None)
        self._accounts[key] = (version, made)
        if replaced is None and len(self._accounts) > _ACCOUNTS:
            replaced = self._accounts.pop(next(iter(self._accounts)))
        if replaced is not None:
            await replaced[1].close()

    async def close(self) -> None:
        for _, account in self._accounts.values():
            await account.close()
        self._accounts.clear()


def spec_of(spec: JsonObject, as_: type[S]) -> S:
    try:
        return msgspec.convert(spec, as_)
    except msgspec.ValidationError as broken:
        raise InvalidInput("The ProviderConfig cannot be read", why=str(broken)) from None
