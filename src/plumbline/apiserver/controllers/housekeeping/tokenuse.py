"""The day on which the token in a Secret was last used, written on the Secret."""

from typing import Final

from plumbline.apiserver.authentication.legacy import LAST_USED
from plumbline.apiserver.controllers.cluster import Cluster, Edit
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Key
from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject
from plumbline.base.log import logger
from plumbline.kernel.queue import Queue

_log = logger(__name__)
_MANAGER: Final = "kube-apiserver"


class TokenUse:
    """Whoever comes with a token does not wait for it to be written, and is let in if it cannot be."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._days: dict[Key, tuple[JsonObject, str]] = {}
        self._queue = Queue[Key](cluster.clock, cluster.ids)

    def note(self, secret: JsonObject, day: str) -> None:
        key = self._cluster.key_of(secret)
        self._days[key] = (secret, day)
        self._queue.add(key)

    async def run(self) -> None:
        """Write what is noted, until stopped."""
        while taken := await self._queue.take():
            key, _ = taken
            try:
                await self._write(*self._days.pop(key))
            finally:
                self._queue.done(key)

    def stop(self) -> None:
        self._queue.close()

    async def _write(self, secret: JsonObject, day: str) -> None:
        try:
            await self._cluster.edit(secret, _used_on(secret, day), manager=_MANAGER)
        except PlumblineError as failed:
            _log.warning("use of token not noted", key=str(self._cluster.key_of(secret)), error=str(failed))
        except Exception:  # noqa: BLE001 - a label that cannot be written must not end the plane
            _log.exception("use of token not noted", key=str(self._cluster.key_of(secret)))


def _used_on(secret: JsonObject, day: str) -> Edit:
    uid = metadata_of(secret).get("uid")

    def used(live: JsonObject) -> JsonObject | None:
        metadata = metadata_of(live)
        labels = metadata.get("labels") or {}
        if metadata.get("uid") != uid or labels.get(LAST_USED) == day:
            return None
        return {**live, "metadata": {**metadata, "labels": {**labels, LAST_USED: day}}}

    return used
