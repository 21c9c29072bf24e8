"""Leader election by Lease, and the fence that makes it safe to rely on.

A lease is not a lock: a leader can be paused for a minute and wake up believing that it leads. So leadership is handed
out as a `Fence`. It knows until when, by this process's own monotonic clock, nobody else can have taken over, and its
token grows with every change of leader. Effects check it last thing before they go out, and carry what makes a late one
harmless: the uid and resourceVersion they were decided on.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists, Conflict, Fenced, NotFound, PlumblineError, Transient
from plumbline.base.json import encode
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.kernel.leases import Lease, LeaseMeta, LeaseSpec, Sightings, Terms, decode_lease, micro_time
from plumbline.kernel.world import World
from plumbline.kube.client import Client, Target, Writing

_FAREWELL_S: Final = 2.0

log = logger(__name__)


class Fence:
    """Leadership for as long as it lasts."""

    def __init__(self, clock: Clock, token: int, valid_s: float) -> None:
        self.token = token
        self._clock = clock
        self._valid_s = valid_s
        self._until_s = 0.0

    def extend(self, renewed_at_s: float) -> None:
        """A renewal that was sent at *renewed_at_s* came through."""
        self._until_s = renewed_at_s + self._valid_s

    def revoke(self) -> None:
        self._until_s = 0.0

    def holds(self) -> bool:
        return self._clock.monotonic() < self._until_s

    def check(self) -> None:
        """Raise Fenced unless nobody else can have taken over."""
        if not self.holds():
            raise Fenced("This replica no longer leads", why=f"its lease (token {self.token}) was not renewed in time")


class Election:
    """One candidate for one lease."""

    def __init__(
        self, client: Client, lease: Target, identity: str, world: World, *, terms: Terms | None = None
    ) -> None:
        self._client = client
        self._target = lease
        self._identity = identity
        self._clock, self._ids, self._metrics = world
        self._terms = terms or Terms()
        self._sightings = Sightings(self._clock)

    async def campaign(self, lead: Callable[[Fence], Awaitable[None]]) -> None:
        """Run *lead* whenever we lead, cancelled as soon as we no longer do; returns when *lead* itself returns.

        Where the server went away in the middle of what it did, it begins anew.
        """
        while True:
            fence = await self._acquired()
            self._metrics.leading(self._target.name, leads=True)
            log.info("leadership acquired", lease=self._target.name, token=fence.token)
            try:
                if await self._led(fence, lead):
                    return
            except* Transient as gone:
                log.warning("leading broke off", lease=self._target.name, error=str(gone.exceptions[0]))
                await self._clock.sleep(self._ids.jitter(self._terms.retry_s, 0.2))
            finally:
                fence.revoke()
                self._metrics.leading(self._target.name, leads=False)
            log.warning("leadership lost", lease=self._target.name, token=fence.token)

    async def _led(self, fence: Fence, lead: Callable[[Fence], Awaitable[None]]) -> bool:
        """Whether *lead* came to its end, rather than our leadership."""
        try:
            async with task_group() as group:
                leading = group.create_task(_run(lead, fence))
                renewing = group.create_task(self._renew(fence))
                await asyncio.wait((leading, renewing), return_when=asyncio.FIRST_COMPLETED)
                finished = leading.done()
                leading.cancel()
                renewing.cancel()
        except asyncio.CancelledError:
            # Somebody wants this process to end, and nothing of the work is left: the next one need not wait for it.
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL_S):
                    await self._release(fence)
            raise
        if finished:
            await self._release(fence)
        return finished

    async def _acquired(self) -> Fence:
        while True:
            try:
                fence = await self._try_acquire()
            except PlumblineError as error:
                fence = None
                log.warning("lease unreachable", lease=self._target.name, code=error.code)
            if fence is not None:
                return fence
            await self._clock.sleep(self._ids.jitter(self._terms.retry_s, 0.2))

    async def _try_acquire(self) -> Fence | None:
        began_s = self._clock.monotonic()
        try:
            lease = decode_lease(await self._client.get(self._target))
        except NotFound:
            return await self._created(began_s)
        held = lease.spec.holder_identity and lease.spec.holder_identity != self._identity
        if held and not self._expired(lease):
            return None
        token = lease.spec.lease_transitions + 1
        lease.spec = self._claim(token, acquired="")
        return await self._written(lease, token, began_s)

    async def _created(self, began_s: float) -> Fence | None:
        metadata = LeaseMeta(self._target.name, self._target.namespace)
        body = encode(Lease(metadata, self._claim(1, acquired="")))
        try:
            await self._client.create(self._target.collection, body, Writing(field_manager=self._identity))
        except (AlreadyExists, Conflict):
            return None
        return self._fence(1, began_s)

    def _expired(self, lease: Lease) -> bool:
        """Whether the lease has stood still for its whole duration."""
        return self._sightings.still_for_s(lease) >= max(lease.spec.lease_duration_seconds, self._terms.lease_s)

    async def _written(self, lease: Lease, token: int, began_s: float) -> Fence | None:
        try:
            await self._client.update(self._target, encode(lease), Writing(field_manager=self._identity))
        except Conflict:
            return None
        return self._fence(token, began_s)

    def _fence(self, token: int, began_s: float) -> Fence:
        fence = Fence(self._clock, token, self._terms.renew_s)
        fence.extend(began_s)
        return fence

    async def _renew(self, fence: Fence) -> None:
        """Keep the lease; returns when it is lost."""
        while fence.holds():
            await self._clock.sleep(self._terms.retry_s)
            began_s = self._clock.monotonic()
            try:
                lease = decode_lease(await self._client.get(self._target))
                if not self._ours(lease, fence):
                    return
                lease.spec = self._claim(fence.token, acquired=lease.spec.acquire_time)
                await self._client.update(self._target, encode(lease), Writing(field_manager=self._identity))
            except PlumblineError as error:
                log.warning("lease not renewed", lease=self._target.name, code=error.code)
                continue
            if not fence.holds():
                return  # it came through too late: somebody else may have acted meanwhile
            fence.extend(began_s)

    async def _release(self, fence: Fence) -> None:
        """Let the next one lead at once. What fails here only costs the others the wait for expiry."""
        if not fence.holds():
            return
        fence.revoke()
        try:
            lease = decode_lease(await self._client.get(self._target))
            if self._ours(lease, fence):
                lease.spec.holder_identity = ""
                await self._client.update(self._target, encode(lease), Writing(field_manager=self._identity))
        except PlumblineError as error:
            log.warning("lease not released", lease=self._target.name, code=error.code)

    def _ours(self, lease: Lease, fence: Fence) -> bool:
        return lease.spec.holder_identity == self._identity and lease.spec.lease_transitions == fence.token

    def _claim(self, token: int, *, acquired: str) -> LeaseSpec:
        now = micro_time(self._clock.now())
        return LeaseSpec(self._identity, int(self._terms.lease_s), acquired or now, now, token)


async def _run(lead: Callable[[Fence], Awaitable[None]], fence: Fence) -> None:
    await lead(fence)
