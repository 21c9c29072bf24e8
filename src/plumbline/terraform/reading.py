"""Secrets and ConfigMaps as a run reads them: from the cluster, when they are asked for, and kept nowhere."""

from typing import Final

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")


class ClientReader:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def secret(self, namespace: str, name: str) -> JsonObject | None:
        return await self._found(Target(_SECRETS, namespace, name))

    async def config_map(self, namespace: str, name: str) -> JsonObject | None:
        return await self._found(Target(_CONFIG_MAPS, namespace, name))

    async def _found(self, target: Target) -> JsonObject | None:
        try:
            return decode(await self._client.get(target))
        except NotFound:
            return None
