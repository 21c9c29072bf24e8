"""Events as kubelets and schedulers send them: about a container rather than a pod, and counted when they repeat."""

import hashlib
from typing import NamedTuple

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.nodes.kinds import EVENT
from plumbline.apiserver.nodes.moments import precise_stamp
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject

_LONGEST = 1024


class Note(NamedTuple):
    reason: str
    message: str
    warning: bool = False
    field: str = ""
    """The part of the object that it is about, such as `spec.containers{web}`."""


class Recorder:
    def __init__(self, cluster: Cluster, component: str, host: str = "") -> None:
        self._cluster = cluster
        self._component = component
        self._host = host

    async def record(self, obj: JsonObject, note: Note, host: str = "") -> None:
        """An event that cannot be stored, for its namespace is going away, is no reason to stop."""
        event = self._event(obj, note, host or self._host)
        metadata = metadata_of(event)
        try:
            if self._cluster.get(EVENT, metadata["namespace"], metadata["name"]) is not None:
                await self._cluster.edit(event, self._counted, manager=self._component)
            else:
                await self._cluster.create(event, manager=self._component)
        except RequestRefused:
            return

    def _counted(self, live: JsonObject) -> JsonObject:
        return {**live, "count": int(live.get("count") or 1) + 1, "lastTimestamp": self._cluster.now()}

    def _event(self, obj: JsonObject, note: Note, host: str) -> JsonObject:
        now = self._cluster.now()
        source = {"component": self._component, "host": host} if host else {"component": self._component}
        return {
            **_about(obj, note, self._component),
            "source": source,
            "count": 1,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "reportingComponent": self._component,
            "reportingInstance": host,
        }


class SchedulingRecorder(Recorder):
    """As schedulers send them: one moment, and what was being done."""

    def _counted(self, live: JsonObject) -> JsonObject:
        now = precise_stamp(self._cluster.clock.now())
        series = live.get("series") or {}
        return {**live, "series": {"count": int(series.get("count") or 1) + 1, "lastObservedTime": now}}

    def _event(self, obj: JsonObject, note: Note, host: str) -> JsonObject:
        return {
            **_about(obj, note, self._component),
            "source": {},
            "eventTime": precise_stamp(self._cluster.clock.now()),
            "action": "Scheduling" if note.warning else "Binding",
            "reportingComponent": self._component,
            "reportingInstance": f"{self._component}-{host}",
        }


def _about(obj: JsonObject, note: Note, component: str) -> JsonObject:
    metadata = metadata_of(obj)
    involved = {
        "kind": obj.get("kind"),
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "uid": metadata.get("uid"),
        "apiVersion": obj.get("apiVersion"),
        "resourceVersion": metadata.get("resourceVersion"),
        "fieldPath": note.field,
    }
    told = f"{metadata.get('uid')}/{note.reason}/{note.field}/{note.message}/{component}"
    name = f"{str(metadata.get('name'))[:200]}.{hashlib.sha256(told.encode()).hexdigest()[:16]}"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": metadata.get("namespace") or "default"},
        "involvedObject": {field: value for field, value in involved.items() if value},
        "type": "Warning" if note.warning else "Normal",
        "reason": note.reason,
        "message": note.message[:_LONGEST],
    }
