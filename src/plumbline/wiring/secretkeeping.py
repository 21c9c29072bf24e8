"""SealedSecrets and ExternalSecrets, on one gate, each loaded with its first use; and the desk where kubeseal asks."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from plumbline.base.errors import TimedOut
from plumbline.base.tasks import task_group
from plumbline.gate.gate import Gate
from plumbline.gate.records import GatedRecords
from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.collections import Collections
from plumbline.kernel.informer import Informer
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.managed.endpoints import Endpoints

if TYPE_CHECKING:
    from plumbline.secrets.sealed.desk import Desk

T = TypeVar("T")

_CLUSTER: Final = "in-cluster"
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_PATIENCE_S: Final = 20.0
"""How long kubeseal waits for the first key, which takes some seconds to make."""


class Site(NamedTuple):
    """What secrets are looked after with."""

    client: Client
    world: World
    gate: Gate
    connection: Connection
    """How the API server is reached by whoever has a token of their own."""
    endpoints: Endpoints
    """Where stores may send calls instead of to their clouds."""
    key_namespace: str
    store_identity: bool = False
    """Whether SecretStores of AWS may sign in as this program."""

    def records(self, component: str) -> Records:
        return GatedRecords(self.gate, self.client, self.world.clock, component, cluster=_CLUSTER)


async def unsealing(site: Site) -> None:
    from plumbline.secrets.sealed.room import Parts, SealedSecrets  # noqa: PLC0415 - cryptography, which few need

    collections = Collections(site.client, site.world.metrics)
    room = SealedSecrets(
        Parts(
            client=site.client,
            world=site.world,
            gate=site.gate,
            records=site.records("sealed-secrets"),
            collections=collections,
            namespace=site.key_namespace,
        )
    )
    async with task_group() as group:
        group.create_task(collections.run())
        group.create_task(room.run())


async def fetching(site: Site) -> None:
    from plumbline.secrets.external.opening import opener  # noqa: PLC0415 - same
    from plumbline.secrets.stored import ExternalSecrets, Parts  # noqa: PLC0415 - few need it
    from plumbline.secrets.stores.cluster import bearing_over  # noqa: PLC0415 - same
    from plumbline.secrets.stores.opening import Allowed, Stores  # noqa: PLC0415 - same

    clock = site.world.clock
    allowed = Allowed(endpoints=site.endpoints, own_identity=site.store_identity)
    stores = Stores(site.client, bearing_over(site.connection), clock, allowed)
    collections = Collections(site.client, site.world.metrics)
    room = ExternalSecrets(
        Parts(
            client=site.client,
            world=site.world,
            gate=site.gate,
            records=site.records,
            collections=collections,
            open=opener(stores),
            forget=stores.forget,
        )
    )
    try:
        async with task_group() as group:
            group.create_task(collections.run())
            group.create_task(room.run())
    finally:
        await stores.close()


class SealingDesk:
    """Answers what kubeseal asks, whoever leads: from keys that it reads and never makes, once somebody has asked."""

    def __init__(self, client: Client, world: World, key_namespace: str, asked: Callable[[], None]) -> None:
        """*asked* is told of the first question, since whoever leads may have to make a key."""
        self._client, self._world, self._namespace = client, world, key_namespace
        self._asked = asked
        self._wanted = asyncio.Event()
        self._desk: asyncio.Future[Desk] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        await self._wanted.wait()
        from plumbline.secrets.sealed.desk import Desk  # noqa: PLC0415 - cryptography, which few need
        from plumbline.secrets.sealed.keys import Keys  # noqa: PLC0415 - same

        keys = Keys(self._client, self._world, self._namespace)
        cache = Cache(Relevance(content=False))
        secrets = Informer(self._client, Target(_SECRETS, self._namespace), cache=cache, metrics=self._world.metrics)
        self._desk.set_result(Desk(keys))
        async with task_group() as group:
            group.create_task(secrets.run())
            group.create_task(keys.run(secrets))

    async def certificate(self) -> bytes | None:
        try:
            return await self._answered(lambda desk: desk.certificate())
        except TimedOut:
            return None

    async def verified(self, body: bytes) -> None:
        await self._answered(lambda desk: desk.verified(body))

    async def resealed(self, body: bytes, *, keep: bool = False) -> bytes:
        return await self._answered(lambda desk: desk.resealed(body, keep=keep))

    async def _answered(self, question: Callable[["Desk"], Awaitable[T]]) -> T:
        self._asked()
        self._wanted.set()
        try:
            async with asyncio.timeout(_PATIENCE_S):
                return await question(await asyncio.shield(self._desk))
        except TimeoutError:
            raise TimedOut(f"there is no sealing key after {_PATIENCE_S:g} s") from None
