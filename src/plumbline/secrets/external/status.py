"""The status of an ExternalSecret or a store, from what a look has found. Pure."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.kernel.reconciler import Change, Event
from plumbline.kube.patch.merge_patch import create_merge_patch

LONGEST_MESSAGE: Final = 1024
READY: Final = "Ready"
_OBSERVED: Final = "observedGeneration"


class Told(NamedTuple):
    """What the condition Ready says from now on."""

    status: str
    reason: str
    message: str


def changed(obj: JsonObject, told: Told, fields: Mapping[str, Any], now: str) -> tuple[JsonObject, bool]:
    """The whole status, and whether Ready says something else than before."""
    before = status_of(obj)
    was = ready_of(before)
    told = told._replace(message=_cut(told.message))
    fresh = {"type": READY, "status": told.status, "reason": told.reason, "message": told.message}
    since = was.get("lastTransitionTime") if was.get("status") == told.status else now
    condition = {**fresh, "lastTransitionTime": since or now}
    others = [each for each in _conditions(before) if each.get("type") != READY]
    after = {**before, **fields, "conditions": [*others, condition]}
    return after, any(was.get(name) != value for name, value in fresh.items())


def written(obj: JsonObject, after: JsonObject, *events: Event) -> Change:
    """What is sent: nothing where nothing is new."""
    before = status_of(obj)
    generation = obj["metadata"].get("generation") or 0
    if after != before or before.get(_OBSERVED, generation) != generation:
        # Upstream's definition has no such field, and a server that goes by it drops it: never a reason for another write.
        after = {**after, _OBSERVED: generation}
    return Change(create_merge_patch({"status": before}, {"status": after}) if after != before else {}, events)


def status_of(obj: JsonObject) -> JsonObject:
    found = obj.get("status")
    return found if isinstance(found, dict) else {}


def ready_of(status: JsonObject) -> JsonObject:
    return next((each for each in _conditions(status) if each.get("type") == READY), {})


def _conditions(status: JsonObject) -> list[JsonObject]:
    listed = status.get("conditions")
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
