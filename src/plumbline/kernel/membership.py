"""A replica among others: shows itself on a Lease of its own, watches theirs, and knows which keys are its share."""

from typing import Final, Protocol

import msgspec

from plumbline.base.errors import Conflict, Fenced, NotFound, PlumblineError
from plumbline.base.json import encode
from plumbline.base.log import logger
from plumbline.kernel.election import Fence
from plumbline.kernel.leases import LEASES, Lease, LeaseMeta, LeaseSpec, Sightings, Terms, decode_lease, micro_time
from plumbline.kernel.shards import Replica, Shards, divided
from plumbline.kernel.world import World
from plumbline.kube.client import Client, Selection, Target, Writing

GROUP_LABEL: Final = "plumbline.dev/replica-of"
ACTS_ON: Final = "plumbline.dev/acts-on"

log = logger(__name__)


class Share(Protocol):
    """Whoever looks after our keys."""

    async def finished(self) -> None:
        """Returns when nothing is under way for keys that are not ours."""

    def wake_all(self) -> None:
        """Our share changed: look at everything in it."""


class Membership:
    def __init__(self, client: Client, group: Target, name: str, world: World) -> None:
        """*group* names the lease collection's namespace and, as its name, what the replicas are replicas of."""
        self.shards = Shards(name)
        self._fence: Fence | None = None
        self._client = client
        self._group = group.name
        self._mine = Target(LEASES, group.namespace, f"{group.name}-{name}")
        self._name = name
        self._world = world
        self._terms = Terms()
        self._sightings = Sightings(world.clock)
        self._announced: frozenset[str] = frozenset()
        self._epoch = 0
        self._written = ""

    def mine(self, key: tuple[str, ...]) -> bool:
        """Whether *key* is ours to look after, now."""
        return self._fence is not None and self._fence.holds() and self.shards.mine(key)

    def check(self) -> None:
        """Raise Fenced unless everybody else still counts us among the living; a guard for clients."""
        if self._fence is None:
            raise Fenced("This replica does not take part yet", why="its lease was never written")
        self._fence.check()

    async def run(self, share: Share) -> None:
        """Take part for ever."""
        while True:
            before = self.shards
            try:
                await self._turn(share)
            except PlumblineError as error:
                log.warning("membership unknown", group=self._group, code=error.code)
            if self.shards != before:
                share.wake_all()
            await self._world.clock.sleep(self._world.ids.jitter(self._terms.retry_s))

    async def leave(self) -> None:
        """Say that we are gone, once nothing is under way; others need not wait for our lease to expire."""
        if self._fence is not None:
            self._fence.revoke()
        try:
            await self._client.delete(self._mine)
        except PlumblineError as error:
            log.warning("membership not given up", group=self._group, code=error.code)

    async def _turn(self, share: Share) -> None:
        if self._fence is None or not self._fence.holds():
            await self._begin(share)
        else:
            await self._renew(self._fence)
        self.shards = divided(self.shards, await self._living())
        if self.shards.members != self._announced:
            await share.finished()
            self._announced = self.shards.members
            await self._renew(self._fence)

    async def _begin(self, share: Share) -> None:
        """Take part, or take part again: others may have taken our keys, so nothing from before may go on."""
        await share.finished()
        self._announced = frozenset()
        self._epoch += 1
        fence = Fence(self._world.clock, self._epoch, self._terms.renew_s)
        await self._renew(fence)
        self.shards = Shards(self._name)
        self._fence = fence

    async def _renew(self, fence: Fence | None) -> None:
        began_s = self._world.clock.monotonic()
        await self._announce()
        # A fence that went down stays down: what was decided behind it may be in somebody's hand still.
        if fence is not None and (fence is not self._fence or fence.holds()):
            fence.extend(began_s)

    async def _announce(self) -> None:
        """Renew our lease with the membership that we act on."""
        try:
            lease = decode_lease(await self._client.get(self._mine))
        except NotFound:
            lease = Lease(LeaseMeta(self._mine.name, self._mine.namespace, labels={GROUP_LABEL: self._group}))
        acquired = lease.spec.acquire_time
        now = micro_time(self._world.clock.now())
        lease.spec = LeaseSpec(self._name, int(self._terms.lease_s), acquired or now, now)
        lease.metadata.annotations[ACTS_ON] = ",".join(sorted(self._announced))
        body, writing = encode(lease), Writing(field_manager=self._name)
        if acquired:
            written = await self._client.update(self._mine, body, writing)
        else:
            written = await self._client.create(self._mine.collection, body, writing)
        self._written = decode_lease(written).metadata.resource_version

    async def _living(self) -> list[Replica]:
        listed = await self._client.list(self._mine.collection, Selection(labels=f"{GROUP_LABEL}={self._group}"))
        leases = [_readable(raw) for raw in listed.items]
        # A list from before our own last word may show who had our keys then, not who has them now.
        if all(lease is None or lease.metadata.resource_version != self._written for lease in leases):
            raise Conflict(f"The replicas of {self._group} were listed as of an earlier time")
        return [
            Replica(lease.spec.holder_identity, _members(lease))
            for lease in leases
            if lease is not None
            and (lease.spec.holder_identity == self._name or self._sightings.still_for_s(lease) < self._terms.lease_s)
        ]


def _members(lease: Lease) -> frozenset[str]:
    return frozenset(filter(None, lease.metadata.annotations.get(ACTS_ON, "").split(",")))


def _readable(raw: bytes) -> Lease | None:
    try:
        return decode_lease(raw)
    except msgspec.DecodeError:
        return None
