"""ConfigMaps that somebody has changed by the API: read from the cluster itself, written through the gate in their name."""

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.web.api.desk import CONFIG_MAPS, Desk
from plumbline.web.api.rights import Asker
from plumbline.web.api.writing import Errand


class AskedMaps:
    """What is edited is what the cluster has: what we follow of it may be older than what somebody was just told."""

    def __init__(self, desk: Desk, asker: Asker) -> None:
        self._desk = desk
        self._asker = asker

    async def read(self, name: str) -> JsonObject | None:
        try:
            found: JsonObject = decode(await self._desk.client.get(self._target(name)))
        except NotFound:
            return None
        return found

    async def create(self, body: JsonObject, why: str) -> None:
        name = body["metadata"]["name"]
        await self._desk.pen.create(self._target(name), body, self._errand(name, why))

    async def update(self, body: JsonObject, why: str) -> None:
        name = body["metadata"]["name"]
        await self._desk.pen.update(self._target(name), body, self._errand(name, why))

    def _target(self, name: str) -> Target:
        return Target(CONFIG_MAPS, self._desk.namespace, name)

    def _errand(self, name: str, why: str) -> Errand:
        return Errand(asker=self._asker, ref=Ref("", "ConfigMap", self._desk.namespace, name), why=why)
