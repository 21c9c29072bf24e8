"""Events are news, not records: an hour after they were last heard of they are gone."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind

EVENT: Final = GroupKind("", "Event")
LIFE: Final = timedelta(hours=1)


class EventExpiry:
    name = "event-expiry"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {EVENT: itself}

    async def reconcile(self, key: Key) -> float | None:
        event = self._cluster.at(key)
        if event is None:
            return None
        left_s = (_last_heard(event) + LIFE - self._cluster.clock.now()).total_seconds()
        if left_s > 0:
            return left_s
        await self._cluster.delete(event)
        return None


def _last_heard(event: JsonObject) -> datetime:
    """Each write gives an event a new life; the newest time in its managers' records is that of its last one."""
    metadata = metadata_of(event)
    written = [str(each.get("time")) for each in metadata.get("managedFields") or () if each.get("time")]
    return datetime.fromisoformat(max([str(metadata.get("creationTimestamp")), *written]))
