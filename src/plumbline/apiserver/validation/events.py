"""Events, old and new: those with an eventTime must say who reports what; events.k8s.io asks for more and lets nothing change.

Both forms are read: the core group's, and that of events.k8s.io with its own names for some fields.
"""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, invalid, required
from plumbline.apiserver.validation.checks import (
    collected,
    immutable,
    meta,
    meta_update,
    namespace_of,
    qualified_errors,
    subdomain_errors,
)
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.names import byte_count
from plumbline.apiserver.validation.shapes import mapping, number, text
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical

_STRICT: Final = "events.k8s.io/v1"
_MISMATCH: Final = "does not match event.namespace"
_LONGEST: Final = 128
_LONGEST_NOTE: Final = 1024
_MICROSECONDS: Final = 6
_OLD_NAMES: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}


class _Event:
    """An event by the names that the core group gives its fields."""

    def __init__(self, obj: JsonObject) -> None:
        self.obj = obj
        self.strict = obj.get("apiVersion") == _STRICT

    def get(self, name: str) -> Json:
        return self.obj.get(_OLD_NAMES.get(name, name) if self.strict else name)

    def text(self, name: str) -> str:
        return text(self.get(name))


@collected
def event_created(obj: JsonObject) -> Iterator[FieldError]:
    event = _Event(obj)
    yield from _legacy_errors(event)
    if not event.strict:
        return
    yield from meta(obj, namespaced=True)
    yield from _series_errors(event)
    if not event.get("eventTime"):
        yield required("eventTime")
    if (type_ := event.text("type")) not in {"Normal", "Warning"}:
        yield invalid("type", "", f"has invalid value: {type_}")
    for name in ("firstTimestamp", "lastTimestamp", "count"):
        if event.get(name):
            yield invalid(name, "", "needs to be unset")
    source = mapping(event.get("source"))
    if source.get("component") or source.get("host"):
        yield invalid("source", "", "needs to be unset")


@collected
def event_updated(obj: JsonObject, old_obj: JsonObject) -> Iterator[FieldError]:
    event, old = _Event(obj), _Event(old_obj)
    yield from _legacy_errors(event)
    if not event.strict:
        return
    yield from meta_update(obj, old_obj)
    if not identical(event.get("series"), old.get("series")):
        yield from _series_errors(event)
    yield from _struct_immutable("involvedObject", event, old, "ObjectReference")
    for name in ("reason", "message"):
        yield from immutable(name, event.text(name), old.text(name))
    yield from _struct_immutable("source", event, old, "EventSource")
    for name in ("firstTimestamp", "lastTimestamp"):
        yield from immutable(name, event.get(name), old.get(name))
    yield from immutable("count", number(event.get("count")), number(old.get("count")))
    for name in ("reason", "type"):
        yield from immutable(name, event.text(name), old.text(name))
    if _microseconds(event.text("eventTime")) != _microseconds(old.text("eventTime")):
        yield from immutable("eventTime", event.get("eventTime"), old.get("eventTime"))
    yield from immutable("action", event.text("action"), old.text("action"))
    yield from _struct_immutable("related", event, old, "*ObjectReference")
    for name, shown in (("reportingComponent", "reportingController"), ("reportingInstance", "reportingInstance")):
        yield from immutable(shown, event.text(name), old.text(name))


def _struct_immutable(name: str, event: _Event, old: _Event, type_name: str) -> Iterator[FieldError]:
    now, before = go_form(event.get(name), type_name), go_form(old.get(name), type_name)
    yield from immutable(name, now, before)


def _microseconds(time: str) -> tuple[str, str]:
    seconds, _, fraction = time.removesuffix("Z").partition(".")
    return seconds, fraction.ljust(_MICROSECONDS, "0")[:_MICROSECONDS]


def _series_errors(event: _Event) -> Iterator[FieldError]:
    series = event.get("series")
    if not isinstance(series, dict):
        return
    if number(series.get("count")) < 2:  # noqa: PLR2004 - one event is no series
        yield invalid("series.count", "", "should be at least 2")
    if not series.get("lastObservedTime"):
        yield required("series.lastObservedTime")


def _legacy_errors(event: _Event) -> Iterator[FieldError]:
    namespace = namespace_of(event.obj)
    about = text(mapping(event.get("involvedObject")).get("namespace"))
    if event.get("eventTime"):
        if not about and namespace not in {"default", "kube-system"}:
            yield invalid("involvedObject.namespace", about, _MISMATCH)
        yield from _report_errors(event)
    elif namespace != about and (about or namespace not in {"", "default"}):
        yield invalid("involvedObject.namespace", about, _MISMATCH)
    yield from subdomain_errors("namespace", namespace)


def _report_errors(event: _Event) -> Iterator[FieldError]:
    reporter, field = event.text("reportingComponent"), "reportingController" if event.strict else "reportingComponent"
    if not reporter:
        yield required(field)
    yield from qualified_errors(field, reporter)
    for name in ("reportingInstance", "action", "reason"):
        value = event.text(name)
        if not value:
            yield required(name)
        if byte_count(value) > _LONGEST:
            yield invalid(name, "", f"can have at most {_LONGEST} characters")
    if byte_count(event.text("message")) > _LONGEST_NOTE:
        yield invalid("message", "", f"can have at most {_LONGEST_NOTE} characters")


CREATE: Final = {"Event": event_created}
UPDATE: Final = {"Event": event_updated}
STATUS_UPDATE: Final[dict[str, object]] = {}
