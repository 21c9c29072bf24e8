"""ConfigMaps of one installation, read and written through the Kubernetes API."""

from typing import Final

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject, decode, encode
from plumbline.delivery.joining.authority import AS_PERSON
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")


class Store:
    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    async def read(self, name: str) -> JsonObject | None:
        try:
            found: JsonObject = decode(await self._client.get(self._target(name)))
        except NotFound:
            return None
        return found

    async def create(self, body: JsonObject, why: str) -> None:
        del why  # the cluster's own audit log has who did it
        await self._client.create(Target(_CONFIG_MAPS, self._namespace), encode(body), AS_PERSON)

    async def update(self, body: JsonObject, why: str) -> None:
        del why  # as above
        await self._client.update(self._target(body["metadata"]["name"]), encode(body), AS_PERSON)

    def _target(self, name: str) -> Target:
        return Target(_CONFIG_MAPS, self._namespace, name)
