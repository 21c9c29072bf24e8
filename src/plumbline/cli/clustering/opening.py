"""Who is asked about clusters: a server, or the Secrets that it would look at."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from plumbline.cli.clustering.roster import Roster
from plumbline.cli.clustering.served import Served
from plumbline.cli.clustering.store import Store
from plumbline.cli.connecting import Where


@asynccontextmanager
async def roster_at(where: Where) -> AsyncIterator[Roster]:
    login = where.login()
    if login is None:
        async with where.connected() as client:
            yield Store(client, where.namespace)
        return
    from plumbline.cli.server.api import opened  # noqa: PLC0415 - only who has logged in waits for it

    async with opened(login, where.asked) as api:
        yield Served(api)
