"""Events of Kubernetes as Argo CD's API tells them: the older fields are filled in from the newer ones. Pure."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.composition.parts import below

_KEPT: Final = (
    "metadata", "involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp", "count", "type",
    "eventTime", "series", "action", "related", "reportingComponent", "reportingInstance",
)  # fmt: skip
_NOT_SHOWN: Final = frozenset({"managedFields"})


def event_list(events: Iterable[JsonObject], resource_version: str) -> JsonObject:
    return {"metadata": {"resourceVersion": resource_version}, "items": [_event(each) for each in events]}


def _event(event: JsonObject) -> JsonObject:
    said = {name: event.get(name) for name in _KEPT}
    metadata = below(event, "metadata")
    said["metadata"] = {name: value for name, value in metadata.items() if name not in _NOT_SHOWN}
    series, at = below(event, "series"), event.get("eventTime")
    if series:
        said["count"] = series.get("count") or 0
        said["lastTimestamp"] = _whole(series.get("lastObservedTime")) or event.get("lastTimestamp")
    elif not event.get("count") and at:
        said["count"] = 1
    for name in ("firstTimestamp", "lastTimestamp"):
        said[name] = said[name] or _whole(at)
    # Moments are always said, be it as null; of the rest only what there is.
    always = ("firstTimestamp", "lastTimestamp", "eventTime", "metadata", "involvedObject", "source")
    said["source"] = said["source"] or {}
    return {name: value for name, value in said.items() if value or name in always}


def _whole(moment: object) -> str | None:
    """A moment to the second."""
    if not isinstance(moment, str) or not moment:
        return None
    return f"{moment.partition('.')[0]}Z" if "." in moment else moment
