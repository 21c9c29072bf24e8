"""The controller that holds the keys, asked as kubeseal asks it: through the API server, which leads to its Service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.documents import load_json
from plumbline.base.errors import GarbledReply, InvalidInput, NotFound, PlumblineError, Undecryptable
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kube.client import Client, Connection, Request, Response, Target, Transport, impersonation
from plumbline.kube.client.http import HttpTransport
from plumbline.kube.client.sources import credentials_of
from plumbline.kube.client.statuses import failure, read_status, retry_after_s
from plumbline.kube.client.transport import Headers
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import Object

_SERVICES: Final = GroupVersionResource("", "v1", "services")
_CERTIFICATE_BYTES: Final = 1 << 20
_PAUSES_S: Final = (0.5, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 8.0)
"""The controller answers two questions a second; a wait is never longer than the last of these."""
_KEEP: Final = "keep=newest"
_SUCCESS: Final = 200
_CONFLICT: Final = 409
_TOO_MANY: Final = 429
_FAULT: Final = 500


class Place(NamedTuple):
    """The cluster, and the Service of the controller on it."""

    kubeconfig: Path | None
    context: str
    namespace: str
    name: str


class Controller:
    def __init__(self, transport: Transport, headers: Headers, place: Place, port: str, clock: Clock) -> None:
        self._transport = transport
        self._headers = headers
        self._target = Target(_SERVICES, place.namespace, f"http:{place.name}:{port}")
        self._clock = clock

    async def certificate(self) -> bytes:
        """The certificate of the newest key, as it is served."""
        headers = (("Accept", "application/x-pem-file, */*"), *self._headers)
        request = Request("GET", self._path("/v1/cert.pem"), "", headers, reply_limit_bytes=_CERTIFICATE_BYTES)
        reply = await self._answered(request)
        if reply.status != _SUCCESS:
            raise self._failure(request, reply, "cannot fetch certificate")
        return reply.body

    async def verified(self, sealed: JsonObject) -> bool:
        """Whether it can be decrypted."""
        request = self._posted("/v1/verify", sealed)
        reply = await self._answered(request)
        if reply.status == _CONFLICT:
            return False
        if reply.status != _SUCCESS:
            raise self._failure(request, reply, "cannot validate sealed secret")
        return True

    async def resealed(self, sealed: JsonObject, *, keep: bool = False) -> JsonObject:
        """The same with its values sealed by the newest key. Raises Undecryptable where one cannot be opened.

        With *keep*, values that this key sealed already stay as they are, if the controller can do that; upstream's cannot.
        """
        request = self._posted("/v1/rotate", sealed, query=_KEEP if keep else "")
        reply = await self._answered(request)
        # Upstream's controller says 500 to what it cannot open. What the API server itself says comes as a Status.
        if reply.status in {_CONFLICT, _FAULT} and read_status(reply.body) is None:
            raise Undecryptable("unable to rotate secret", why="the controller has no key that opens it")
        if reply.status != _SUCCESS:
            raise self._failure(request, reply, "cannot re-encrypt secret")
        try:
            answer = load_json(reply.body).value
        except InvalidInput as odd:
            raise GarbledReply("cannot re-encrypt secret", why="the controller's answer is no JSON") from odd
        if not isinstance(answer, dict) or answer.get("kind") not in {"SealedSecret", None}:
            raise GarbledReply("cannot re-encrypt secret", why="the controller's answer is no SealedSecret")
        # Upstream's says neither, as Go does with types that it knows.
        return {"kind": "SealedSecret", "apiVersion": "bitnami.com/v1alpha1", **answer}

    def _posted(self, path: str, sealed: JsonObject, query: str = "") -> Request:
        headers = (("Content-Type", "application/json"), ("Accept", "*/*"), *self._headers)
        return Request("POST", self._path(path), query, headers, encode(sealed))

    def _path(self, path: str) -> str:
        return self._target._replace(subresource=f"proxy{path}").path

    async def _answered(self, request: Request) -> Response:
        """What is asked changes nothing at the controller, so it is asked again where it says that it is busy."""
        for pause_s in _PAUSES_S:
            reply = await self._transport.send(request)
            if reply.status != _TOO_MANY:
                return reply
            after_s = retry_after_s(reply, self._clock.now())
            await self._clock.sleep(min(pause_s if after_s is None else after_s, _PAUSES_S[-1]))
        return await self._transport.send(request)

    def _failure(self, request: Request, reply: Response, what: str) -> PlumblineError:
        error = failure(request, reply, self._clock.now())
        error.what = what
        return error


@asynccontextmanager
async def connected(place: Place, clock: Clock | None = None) -> AsyncIterator[Controller]:
    """Raises NotFound where the cluster has no such Service."""
    clock = clock or SystemClock()
    connection = Connection.load(place.kubeconfig, context=place.context)
    transport = HttpTransport(connection, credentials_of(connection, clock))
    try:
        port = await _port(Client(transport, clock=clock, impersonate=connection.impersonate), place)
        yield Controller(transport, impersonation.headers(connection.impersonate), place, port, clock)
    finally:
        await transport.close()


async def _port(client: Client, place: Place) -> str:
    """The name of the Service's first port; empty where it has none."""
    try:
        service = decode(await client.get(Target(_SERVICES, place.namespace, place.name)))
    except NotFound as missing:
        raise NotFound(
            f'cannot get sealed secret service: services "{place.name}" not found in namespace {place.namespace}',
            hint="Use --controller-name and --controller-namespace to say where the controller is, or --cert.",
        ) from missing
    ports = Object(service).spec.get("ports")
    first = ports[0] if isinstance(ports, list) and ports else {}
    return str(first.get("name") or "") if isinstance(first, dict) else ""
