"""Whether clusters can be reached, found out when somebody asks and remembered for a while."""

import asyncio
from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import WrongState
from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.delivery.joining.reaching import State, Way, reached
from plumbline.delivery.settings.clusters import Cluster

PATIENCE_S: Final = 5.0
_FRESH_S: Final = 60.0
_AT_ONCE: Final = 8


class Looked(NamedTuple):
    state: State
    at: str | None = None

    def as_json(self) -> JsonObject:
        return {"status": self.state.status, "message": self.state.message, "attemptedAt": self.at}


class _Kept(NamedTuple):
    cluster: Cluster
    """As it was described then: one that is described otherwise is asked again."""
    at_s: float
    looked: Looked


class States:
    """Without a *way* nobody knows."""

    def __init__(self, way: Way | None, clock: Clock) -> None:
        self._way = way
        self._clock = clock
        self._known: dict[str, _Kept] = {}
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def of(self, clusters: Iterable[Cluster], *, anew: bool = False) -> list[Looked]:
        async with task_group() as group:
            asked = [group.create_task(self._one(each, anew=anew)) for each in clusters]
        return [each.result() for each in asked]

    async def check(self, cluster: Cluster) -> None:
        """Raises WrongState where it cannot be reached: what was refused is we, and not who asks."""
        (looked,) = await self.of((cluster,), anew=True)
        if looked.state.status == "Failed":
            hint = "Check the address, the certificates and the token; it must be reachable from where Plumbline runs."
            raise WrongState("the cluster cannot be reached", why=looked.state.message, hint=hint)

    async def _one(self, cluster: Cluster, *, anew: bool) -> Looked:
        if cluster.refusal:
            return Looked(State("Failed", cluster.refusal))
        if self._way is None:
            return Looked(State())
        kept, now_s = self._known.get(cluster.server), self._clock.monotonic()
        if kept is not None and not anew and kept.cluster == cluster and now_s - kept.at_s < _FRESH_S:
            return kept.looked
        try:
            async with asyncio.timeout(PATIENCE_S), self._turns:
                state = await reached(cluster, self._way)
        except TimeoutError:
            state = State("Failed", f"no answer within {PATIENCE_S:g} s")
        looked = Looked(state, rfc3339(self._clock.now()))
        self._known[cluster.server] = _Kept(cluster, now_s, looked)
        return looked
