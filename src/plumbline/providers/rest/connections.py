"""Connections of an account, and whether a ProviderConfig may send it somewhere else."""

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from plumbline.base.environment import environment
from plumbline.base.errors import GarbledReply, InvalidInput, NotFound, Refused
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known, redact_text
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.credentials import Credentials, Fixed
from plumbline.kube.client.parts import User
from plumbline.kube.client.proxies import environment_proxy
from plumbline.kube.client.transport import Request, Response, Transport
from plumbline.managed.endpoints import Endpoints
from plumbline.managed.external import Config, SecretKey
from plumbline.providers.files import read_file
from plumbline.providers.rest.tokens import Connect

ENDPOINT: Final = "plumbline.dev/endpoint"
"""Annotation of a ProviderConfig: a server that stands in for all of a vendor's."""
ANONYMOUS: Final = Fixed(User())
_CHARACTERS: Final = 500
_HERE: Final = frozenset({"169.254.169.254", "metadata.google.internal"})
"""Servers of the machine that this runs on: no proxy knows them."""


class _Lent:
    """A connection that ends with its last call."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self._calls = 0
        self._ending = False

    @property
    def closed(self) -> bool:
        return self._ending and not self._calls

    async def send(self, request: Request) -> Response:
        self._calls += 1
        try:
            return await self._inner.send(request)
        finally:
            self._calls -= 1
            await self._over()

    async def close(self) -> None:
        """Calls under way come to their end: one that is broken off may have been made, and nobody would know."""
        self._ending = True
        await self._over()

    async def _over(self) -> None:
        if self.closed:
            await self._inner.close()


class Opened:
    """Those of one ProviderConfig: opened when they are first used, and closed together."""

    def __init__(self, open_: Connect, *, replaced: bool = False) -> None:
        self.replaced = replaced
        """Whether they lead elsewhere than to the vendor."""
        self._open = open_
        self._kept: dict[tuple[str, Credentials | None], Transport] = {}

    def connect(self, base: str, credentials: Credentials | None) -> Transport:
        key = (base, credentials)
        if key not in self._kept:
            self._kept[key] = _Lent(self._open(base, credentials))
        return self._kept[key]

    async def close(self) -> None:
        for transport in self._kept.values():
            await transport.close()


def connected(vendor: str) -> Connect:
    """Over HTTP, through the proxy of the environment if there is one."""

    def connect(base: str, credentials: Credentials | None) -> Transport:
        from plumbline.kube.client.http import HttpTransport  # noqa: PLC0415 - loaded by the first who calls

        proxy = None if urlsplit(base).hostname in _HERE else environment_proxy(base, environment())
        connection = Connection(server=base, source=vendor, proxy=proxy, compress=True)
        return HttpTransport(connection, credentials or ANONYMOUS)

    return connect


def endpoint_of(config: Config, source: str, *, endpoints: Endpoints, own: frozenset[str], vendor: str) -> str:
    """The address that the annotation names, empty where there is none.

    Only one that is allowed, and only with credentials that use nothing of ours: those of the sources *own*.
    """
    said = config.annotations.get(ENDPOINT, "")
    if not said:
        return ""
    endpoint = endpoints.admitted(said, config.ref, f"the annotation {ENDPOINT}")
    if source not in own:
        why = f"credentials of the source {source[:40]!r} go to {vendor} only"
        raise Refused(f"{config.ref} cannot be used", why=why, hint=f"Use a Secret, or remove {ENDPOINT}.")
    return endpoint


async def secret_of(config: Config, reference: SecretKey | None) -> Plaintext:
    if reference is None:
        raise InvalidInput(f"{config.ref} cannot be used", why="credentials.secretRef is missing")
    value = await config.secrets.read(reference)
    known.add(value)
    return value


async def file_of(path: Path, what: str) -> Plaintext:
    try:
        return Plaintext(await read_file(path))
    except OSError as broken:
        raise NotFound(what, why=f"{path} cannot be read: {broken.strerror}") from None


def words(message: str) -> str:
    """A vendor's message: short, on one line and without what looks like a secret."""
    text = " ".join(redact_text(message).split())
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]}..."


def answer_of(body: bytes, what: str, vendor: str) -> JsonObject:
    """The JSON of a success. Raises GarbledReply for anything else."""
    if not body.strip():
        return {}
    elsewhere = f"Check that nothing between here and {vendor} answers in its place."
    try:
        answer = msgspec.json.decode(body)
    except msgspec.DecodeError as broken:
        raise GarbledReply(what, why=f"the answer is no JSON: {broken}", hint=elsewhere) from None
    if not isinstance(answer, dict):
        raise GarbledReply(what, why="the answer is no JSON object", hint=elsewhere)
    return answer
