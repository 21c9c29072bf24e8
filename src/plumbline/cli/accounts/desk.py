"""Who answers questions about accounts: a server, or the objects that it would look at."""

from contextlib import AbstractAsyncContextManager
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


def desk_at(where: Where) -> AbstractAsyncContextManager[Desk]:
    return where.answered(lambda client: Local(client, where.namespace), Remote)
