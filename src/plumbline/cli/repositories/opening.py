"""Who is asked about repositories and credentials: a server, or the Secrets that it would look at."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from plumbline.cli.connecting import Where
from plumbline.cli.repositories.served import Served
from plumbline.cli.repositories.shelf import Shelf
from plumbline.cli.repositories.store import Secrets
from plumbline.source.secrets import Kind


@asynccontextmanager
async def shelf_at(where: Where, kind: Kind) -> AsyncIterator[Shelf]:
    """*kind* is that of repositories, or of templates for their credentials."""
    login = where.login()
    if login is None:
        async with where.connected() as client:
            yield Secrets(client, where.namespace, kind)
        return
    from plumbline.cli.server.api import opened  # noqa: PLC0415 - only who has logged in waits for it

    async with opened(login, where.asked) as api:
        yield Served(api, kind)
