"""Who seals values again: the controller, which has the keys, or this machine with keys from files."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple, Protocol

from plumbline.base.clock import SystemClock
from plumbline.base.errors import GarbledReply, InvalidInput
from plumbline.base.json import JsonObject
from plumbline.cli.sealing.certificates import certificate_from
from plumbline.cli.sealing.controller import Controller, connected
from plumbline.cli.sealing.keys import Recovered, recovered
from plumbline.cli.sealing.options import Where
from plumbline.kube.object import Object
from plumbline.secrets.sealing import Certificate, Keyring, certificate_of
from plumbline.secrets.sealing.items import opened_items
from plumbline.secrets.sealing.shape import sealed_of


class Resealed(NamedTuple):
    values: Mapping[str, str]
    """Those that are other than before."""
    old: tuple[str, ...]
    """Fingerprints of the keys that had sealed them, where that is known."""


class Resealer(Protocol):
    fingerprint: str
    """Of the key that is sealed for."""

    async def resealed(self, sealed: JsonObject) -> Resealed:
        """Raises Undecryptable, or InvalidInput for what is no SealedSecret."""


class ByController:
    """Which key had sealed a value it does not tell."""

    def __init__(self, controller: Controller, fingerprint: str, *, everything: bool = False) -> None:
        self._controller = controller
        self._everything = everything
        self.fingerprint = fingerprint

    async def resealed(self, sealed: JsonObject) -> Resealed:
        before = sealed_of(sealed).items
        after = Object(await self._controller.resealed(sealed, keep=not self._everything)).spec.get("encryptedData")
        if not isinstance(after, dict) or after.keys() != before.keys():
            raise GarbledReply("cannot re-encrypt secret", why="the controller's answer has other items")
        for value in after.values():
            if not isinstance(value, str):
                raise GarbledReply("cannot re-encrypt secret", why="the controller's answer has items without a text")
        return Resealed({key: value for key, value in after.items() if value != before[key]}, ())


class ByKeys:
    def __init__(self, keyring: Keyring, certificate: Certificate, *, everything: bool = False) -> None:
        self._keyring = keyring
        self._certificate = certificate
        self._everything = everything
        self.fingerprint = certificate.fingerprint

    async def resealed(self, sealed: JsonObject) -> Resealed:
        found = sealed_of(sealed)
        label = found.label
        outdated = {
            key: opened
            for key, opened in opened_items(found, self._keyring).items()
            if self._everything or opened.fingerprint != self.fingerprint
        }
        values = {key: self._certificate.sealed(opened.value, label) for key, opened in outdated.items()}
        return Resealed(values, tuple(sorted({opened.fingerprint for opened in outdated.values()})))


@asynccontextmanager
async def resealer(where: Where, private_keys: tuple[str, ...], *, everything: bool) -> AsyncIterator[Resealer]:
    """With *everything*, what the newest key sealed is sealed again too."""
    if private_keys:
        found = recovered(private_keys)
        yield ByKeys(found.keyring, await _sealing_for(found, where), everything=everything)
        return
    async with connected(where.place) as controller:
        newest = certificate_of(await controller.certificate(), at=SystemClock().now())
        yield ByController(controller, newest.fingerprint, everything=everything)


async def _sealing_for(found: Recovered, where: Where) -> Certificate:
    if where.cert:
        return await certificate_from(where.cert, where.place)
    newest = found.keyring.newest
    if len(found.keyring) > len(found.dated):
        raise InvalidInput(
            "it is not known which key is the newest",
            why="a private key in PEM has no date",
            hint="Say with --cert which certificate to seal for.",
        )
    return newest.certificate
