"""Lines to servers of charts, with credentials that may have to be made first."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from plumbline.source.charts.wire import Line, Wire
from plumbline.source.repository import Authorised, Repository


class Lines:
    def __init__(self, wire: Wire, authorised: Authorised) -> None:
        self._wire = wire
        self._authorised = authorised

    @asynccontextmanager
    async def line(self, repository: Repository, own_url: str, what: str) -> AsyncIterator[Line]:
        """To the server of *own_url*, as *repository* has it; *what* fails if it fails."""
        credentials = await self._authorised(repository)
        reached = repository
        if credentials is not repository.credentials:
            reached = msgspec.structs.replace(repository, credentials=credentials)
        async with self._wire.line(reached, own_url, what) as line:
            yield line
