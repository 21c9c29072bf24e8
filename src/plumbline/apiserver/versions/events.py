"""Events, which two groups show under different names: the core group and one of their own."""

from typing import Final

from plumbline.base.json import JsonObject

_NAMES: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
"""From the core group's names to the other's; all other fields have the same name in both."""
_CORE_NAMES: Final = {name: core for core, name in _NAMES.items()}
_ALWAYS_IN_CORE: Final = ("reportingComponent", "reportingInstance")


def event_of_its_group(event: JsonObject) -> JsonObject:
    shown = {_NAMES.get(field, field): value for field, value in event.items() if _said(field, value)}
    return {**shown, "apiVersion": "events.k8s.io/v1"}


def core_event(event: JsonObject) -> JsonObject:
    shown = {_CORE_NAMES.get(field, field): value for field, value in event.items()}
    return {**dict.fromkeys(_ALWAYS_IN_CORE, ""), **shown, "apiVersion": "v1"}


def _said(field: str, value: object) -> bool:
    """Who reports is always written in the core group, even if it is nobody."""
    return bool(value) or field not in _ALWAYS_IN_CORE
