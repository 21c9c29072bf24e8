"""How artifacts of other controllers are fetched, kept and unpacked: with the means that fetch charts."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import GarbledReply, InvalidInput, LimitExceeded
from plumbline.base.tree import Tree
from plumbline.kinds.flux.common import Artifact
from plumbline.source.charts.archives import unpacked
from plumbline.source.charts.digests import is_digest
from plumbline.source.charts.store import Store
from plumbline.source.charts.tar import PACKED_BYTES
from plumbline.source.charts.trees import Archive, Trees
from plumbline.source.charts.wire import Ask, Wire
from plumbline.source.repository import Repository
from plumbline.source.urls import checked, redacted

_DEADLINE_S: Final = 120.0
_QUIET_S: Final = 30.0
_PARALLEL: Final = 4


class Fetched:
    """What was fetched stays in *folder*, by its digest and within a bound."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._store = Store(folder)
        self._trees = Trees(self._store, clock, _PARALLEL)
        self.wire: Final = Wire(_DEADLINE_S, _QUIET_S)
        self._settling = asyncio.Lock()
        self._settled = False

    async def tree(self, artifact: Artifact, fetch: Callable[[], Awaitable[bytes]] | None = None) -> Tree:
        """The files of *artifact*; with *fetch*, which knows better where its bytes are."""
        if not is_digest(artifact.digest):
            raise InvalidInput(f"Cannot use the artifact {artifact.path[:300]}", why="its digest is none that is known")
        async with self._settling:
            if not self._settled:
                await asyncio.to_thread(self._store.settle)
                self._settled = True

        async def fetched() -> bytes:
            return await (fetch() if fetch is not None else self._fetched(artifact))

        return await self._trees.tree(Archive("", artifact.digest, artifact.digest, fetched, unpacked))

    async def _fetched(self, artifact: Artifact) -> bytes:
        what = f"Cannot fetch the artifact {redacted(artifact.url)}"
        size = artifact.size if artifact.size is not None else PACKED_BYTES
        if not 0 <= size <= PACKED_BYTES:
            raise LimitExceeded(what, why=f"it has {size:,} bytes, and {PACKED_BYTES:,} is the limit")
        async with self.wire.line(Repository(checked(artifact.url)), artifact.url, what) as line:
            reply = await line.ask(Ask(artifact.url, size))
        if artifact.size is not None and len(reply.body) != size:
            raise GarbledReply(what, why=f"{len(reply.body):,} bytes came, and it has {size:,}")
        return reply.body
