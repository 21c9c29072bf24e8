"""The status of an Application of thousands of objects, made to fit what an API server stores. Pure.

etcd takes no request beyond 1.5 MiB. A record that is refused says nothing at all: neither that anything was synced nor why
nobody hears of it. So what is longest and least missed is left out, step by step, until the rest fits.
"""

from collections.abc import Callable
from typing import Final

from plumbline.base.json import Json, JsonObject, encode

ROOM_BYTES: Final = 1 << 20
LEAST_BYTES: Final = 256 << 10
"""For a server, or a proxy before it, that has refused more."""
SHORTENED: Final = "ShortenedStatusWarning"
MESSAGE: Final = (
    "It has more objects than a record can hold, so the status leaves out what went well: messages and results of the last "
    "sync first, then objects that are synced and healthy. All of them are delivered; split the application to see them all"
)
_ENDED: Final = frozenset({"Succeeded", "Failed", "Error"})
_MOST: Final = 500
_LONGEST_MESSAGE: Final = 200


def fitted(status: JsonObject, room_bytes: int) -> JsonObject | None:
    """*status* without as much as has to go; None where all of it fits."""
    if len(encode(status)) <= room_bytes:
        return None
    for less in _STEPS:
        status = less(status)
        if len(encode(status)) <= room_bytes:
            break
    return status


def still_shortened(before: JsonObject, after: JsonObject) -> bool:
    """Whether *after* fits only because *before* did not, and has the same sync: what was left out of that is still missing."""
    told = any(each.get("type") == SHORTENED for each in _rows(before.get("conditions")))
    started = _operation(before).get("startedAt")
    return told and started is not None and started == _operation(after).get("startedAt")


def _without_messages(status: JsonObject) -> JsonObject:
    return _with_results(
        status,
        lambda row: {name: value for name, value in row.items() if name != "message"} if _went_well(row) else row,
    )


def _without_results(status: JsonObject) -> JsonObject:
    """A sync that runs goes by them: without them it would do everything again."""
    if _operation(status).get("phase") not in _ENDED:
        return status
    return _with_results(status, lambda row: None if _went_well(row) else row)


def _without_well(status: JsonObject) -> JsonObject:
    """One of each kind stays: kinds of which there was an object are those that are looked at for what is to be pruned."""
    kept, kinds = [], set()
    for row in _rows(status.get("resources")):
        kind = (row.get("group"), row.get("version"), row.get("kind"))
        if kind not in kinds or not _is_well(row):
            kept.append(row)
        kinds.add(kind)
    return {**status, "resources": kept}


def _short(status: JsonObject) -> JsonObject:
    """Thousands that are not well, or long values in each entry of the history."""
    kinds = {(row.get("group"), row.get("version"), row.get("kind")): row for row in _rows(status.get("resources"))}
    rows = [row for row in _rows(status.get("resources"))[:_MOST] if row not in kinds.values()]
    shorter = {**status, "resources": [*kinds.values(), *rows], "history": _rows(status.get("history"))[-1:]}
    return _with_results(shorter, lambda row: {**row, "message": str(row.get("message") or "")[:_LONGEST_MESSAGE]})


_STEPS: Final[tuple[Callable[[JsonObject], JsonObject], ...]] = (
    _without_messages,
    _without_results,
    _without_well,
    _short,
)


def _with_results(status: JsonObject, change: Callable[[JsonObject], JsonObject | None]) -> JsonObject:
    state = _operation(status)
    result = state.get("syncResult")
    if not isinstance(result, dict):
        return status
    rows = [row for each in _rows(result.get("resources")) if (row := change(each)) is not None]
    return {**status, "operationState": {**state, "syncResult": {**result, "resources": rows}}}


def _went_well(row: JsonObject) -> bool:
    return row.get("status") in {"Synced", "Pruned"} and row.get("hookPhase") not in {"Failed", "Error"}


def _is_well(row: JsonObject) -> bool:
    health = row.get("health")
    return row.get("status") == "Synced" and (not isinstance(health, dict) or health.get("status") == "Healthy")


def _operation(status: JsonObject) -> JsonObject:
    state = status.get("operationState")
    return state if isinstance(state, dict) else {}


def _rows(listed: Json) -> list[JsonObject]:
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
