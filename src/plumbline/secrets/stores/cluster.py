"""What a store may read of the cluster it is defined in: the one place that decides on namespaces.

Whoever may write a SecretStore may read the Secrets of its namespace through it, and those of no other. Every read of a store
goes through here, whatever it is for, so that no field can be forgotten.
"""

import base64
import binascii
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import GarbledReply, InvalidInput, NotFound, Unresolved
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.client.parts import User
from plumbline.kube.names import GroupVersionResource
from plumbline.secrets.stores.store import Selector

Bearing: TypeAlias = Callable[[Plaintext], AbstractAsyncContextManager[Client]]
"""Opens the same API server as whoever a token says."""

_RESOURCES: Final = {
    "ConfigMap": GroupVersionResource("", "v1", "configmaps"),
    "Secret": GroupVersionResource("", "v1", "secrets"),
    "ServiceAccount": GroupVersionResource("", "v1", "serviceaccounts"),
}


class Standing(NamedTuple):
    """Where a store stands, and for whom it is asked."""

    kind: str
    """SecretStore or ClusterSecretStore."""
    name: str
    namespace: str = ""
    """Of a SecretStore its own; of a ClusterSecretStore that of the ExternalSecret that asks, empty where none does."""

    @property
    def cluster_wide(self) -> bool:
        return self.kind == "ClusterSecretStore"

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" if self.cluster_wide else f"{self.kind} {self.namespace}/{self.name}"


def bearing_over(connection: Connection) -> Bearing:
    """For a cluster that is reached over the network: the same server and the same trust, but nothing else of our identity."""

    def bearing(token: Plaintext) -> AbstractAsyncContextManager[Client]:
        return Client.connect(replace(connection, user=User(token=token), impersonate=None))

    return bearing


class StandingCluster:
    """The cluster, as far as one store may see it."""

    def __init__(self, client: Client, standing: Standing, bearing: Bearing) -> None:
        self._client = client
        self._standing = standing
        self._bearing = bearing

    async def secret(self, selector: Selector) -> Plaintext:
        held = (await self._read("Secret", selector)).get("data") or {}
        value = self._entry(held, "Secret", selector)
        try:
            return Plaintext(base64.b64decode(value, validate=True))
        except (binascii.Error, ValueError, TypeError):
            raise GarbledReply(
                f"{selector.key} of Secret {selector.name} cannot be read", why="It is not base64"
            ) from None

    async def config_map(self, selector: Selector) -> str:
        held = (await self._read("ConfigMap", selector)).get("data") or {}
        return str(self._entry(held, "ConfigMap", selector))

    async def account(self, account: Selector) -> JsonObject:
        return await self._read("ServiceAccount", account)

    async def token(self, account: Selector, audiences: tuple[str, ...], lifetime_s: int) -> Plaintext:
        target = self._target("ServiceAccount", account)._replace(subresource="token")
        wanted = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"audiences": list(audiences), "expirationSeconds": lifetime_s},
        }
        try:
            reply = await self._client.create(target, encode(wanted))
        except NotFound:
            raise self._missing("ServiceAccount", target.namespace, target.name) from None
        token = decode(reply).get("status", {}).get("token")
        if not isinstance(token, str) or not token:
            raise GarbledReply(f"There is no token of ServiceAccount {account.name}", why="The answer holds none")
        return Plaintext(token)

    def bearing(self, token: Plaintext) -> AbstractAsyncContextManager[Client]:
        return self._bearing(token)

    @property
    def client(self) -> Client:
        return self._client

    async def _read(self, kind: str, selector: Selector) -> JsonObject:
        target = self._target(kind, selector)
        try:
            return decode(await self._client.get(target))
        except NotFound:
            raise self._missing(kind, target.namespace, target.name) from None

    def _target(self, kind: str, selector: Selector) -> Target:
        if not selector.name:
            raise InvalidInput(f"{self._standing} cannot be used", why=f"It refers to a {kind} without a name")
        namespace = self._namespace(selector)
        if not namespace:
            raise Unresolved(
                f"{kind} {selector.name} cannot be looked up",
                why=f"{self._standing} does not say its namespace, and no ExternalSecret asks",
                hint="Say the namespace in the store, or leave it to the ExternalSecrets that use it.",
                sought=("", kind, "", selector.name),
            )
        return Target(_RESOURCES[kind], namespace, selector.name)

    def _namespace(self, selector: Selector) -> str:
        standing = self._standing
        if standing.cluster_wide:
            return selector.namespace or standing.namespace
        if selector.namespace not in ("", standing.namespace):
            raise InvalidInput(
                f"{standing} cannot be used",
                why="namespace should either be empty or match the namespace of the SecretStore for a namespaced SecretStore",
                hint="Remove the namespace, or use a ClusterSecretStore.",
            )
        return standing.namespace

    def _entry(self, held: JsonObject, kind: str, selector: Selector) -> str:
        namespace = self._namespace(selector)
        if selector.key in held:
            return str(held[selector.key])
        raise Unresolved(
            f"{kind} {namespace}/{selector.name} has no key {selector.key!r}",
            why=f"{self._standing} refers to it",
            sought=("", kind, namespace, selector.name),
        )

    def _missing(self, kind: str, namespace: str, name: str) -> Unresolved:
        return Unresolved(
            f"There is no {kind} {name} in namespace {namespace}",
            why=f"{self._standing} refers to it",
            sought=("", kind, namespace, name),
        )
