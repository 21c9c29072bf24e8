"""Events as objects."""

from typing import NamedTuple

from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject


class News(NamedTuple):
    reason: str
    message: str
    component: str
    warning: bool = False


def event_about(obj: JsonObject, name: str, news: News, now: str) -> JsonObject:
    """In the namespace of *obj*; of objects that are in none, in the default one."""
    metadata = metadata_of(obj)
    involved = {
        "kind": obj.get("kind"),
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "uid": metadata.get("uid"),
        "apiVersion": obj.get("apiVersion"),
        "resourceVersion": metadata.get("resourceVersion"),
    }
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": metadata.get("namespace") or "default"},
        "involvedObject": {field: value for field, value in involved.items() if value},
        "type": "Warning" if news.warning else "Normal",
        "reason": news.reason,
        "message": news.message,
        "source": {"component": news.component},
        "reportingComponent": news.component,
        "reportingInstance": "",
        "count": 1,
        "firstTimestamp": now,
        "lastTimestamp": now,
    }


def counted(event: JsonObject, message: str, now: str) -> JsonObject:
    """*event*, told once more."""
    return {**event, "message": message, "count": int(event.get("count") or 1) + 1, "lastTimestamp": now}
