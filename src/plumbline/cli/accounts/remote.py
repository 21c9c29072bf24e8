"""Accounts as a server answers for them."""

from plumbline.base.json import JsonObject
from plumbline.cli.server.api import Api
from plumbline.cli.server.session import who


class Remote:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def listed(self) -> list[JsonObject]:
        return list((await self._api.get("account")).get("items") or [])

    async def named(self, name: str) -> JsonObject:
        return await self._api.get("account", name or await self._own())

    async def token(self, name: str, token_id: str, life_s: int) -> str:
        body = {"id": token_id, "expiresIn": life_s}
        said = await self._api.ask("POST", ("account", name or await self._own(), "token"), body)
        return str(said.get("token") or "")

    async def drop_token(self, name: str, token_id: str) -> None:
        await self._api.ask("DELETE", ("account", name or await self._own(), "token", token_id))

    async def set_password(self, name: str, current: str, new: str) -> None:
        body = {"newPassword": new, "currentPassword": current, "name": name}
        await self._api.ask("PUT", ("account", "password"), body)

    async def _own(self) -> str:
        return str((await who(self._api)).get("username") or "")
