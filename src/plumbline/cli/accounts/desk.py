"""Who answers questions about accounts: a server, or the objects that it would look at."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from plumbline.base.json import JsonObject
from plumbline.cli.accounts.local import Local
from plumbline.cli.accounts.remote import Remote
from plumbline.cli.connecting import Where


class Desk(Protocol):
    """Accounts are told as Argo CD's API tells them: name, enabled, capabilities, tokens."""

    async def listed(self) -> list[JsonObject]: ...

    async def named(self, name: str) -> JsonObject:
        """The one of *name*, or with none the one that asks. Raises NotFound, Forbidden."""

    async def token(self, name: str, token_id: str, life_s: int) -> str:
        """A new token; *life_s* of zero is without end."""

    async def drop_token(self, name: str, token_id: str) -> None: ...

    async def set_password(self, name: str, current: str, new: str) -> None: ...


@asynccontextmanager
async def desk_at(where: Where) -> AsyncIterator[Desk]:
    login = where.login()
    if login is None:
        async with where.connected() as client:
            yield Local(client, where.namespace)
        return
    from plumbline.cli.server.api import opened  # noqa: PLC0415 - only who has logged in waits for it

    async with opened(login, where.asked) as api:
        yield Remote(api)
