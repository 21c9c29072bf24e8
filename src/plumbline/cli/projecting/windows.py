"""Sync windows of a project, by their place in the list."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.cli.projecting.values import Edit
from plumbline.cli.terminal import argo_table
from plumbline.delivery.projects.windows import is_open
from plumbline.kinds.appproject import SyncWindow

HEADER = ("ID", "STATUS", "KIND", "SCHEDULE", "DURATION", "APPLICATIONS", "NAMESPACES", "CLUSTERS", "MANUALSYNC", "SYNCOVERRUN", "TIMEZONE", "USEANDOPERATOR")  # fmt: skip


def added(window: JsonObject) -> Edit:
    def edit(spec: JsonObject) -> JsonObject:
        return {**spec, "syncWindows": [*(spec.get("syncWindows") or []), _filled(window)]}

    return edit


def changed(number: int, fields: dict[str, Any]) -> Edit:
    """The window with that number, with *fields* that have a value instead of its own."""

    def edit(spec: JsonObject) -> JsonObject:
        windows = _checked(spec, number)
        after = _filled({**windows[number], **fields})
        return {**spec, "syncWindows": [*windows[:number], after, *windows[number + 1 :]]}

    return edit


def dropped(number: int) -> Edit:
    def edit(spec: JsonObject) -> JsonObject:
        windows = _checked(spec, number)
        return {**spec, "syncWindows": [*windows[:number], *windows[number + 1 :]]}

    return edit


def drawn(windows: Sequence[JsonObject], now: datetime) -> str:
    return argo_table(HEADER, [_row(number, each, now) for number, each in enumerate(windows)])


def _row(number: int, window: JsonObject, now: datetime) -> tuple[str, ...]:
    return (
        str(number),
        "Active" if _active(window, now) else "Inactive",
        *(str(window.get(part) or "") for part in ("kind", "schedule", "duration")),
        *(",".join(window.get(part) or ()) or "-" for part in ("applications", "namespaces", "clusters")),
        *("Enabled" if window.get(part) else "Disabled" for part in ("manualSync", "syncOverrun")),
        str(window.get("timeZone") or ""),
        "Enabled" if window.get("andOperator") else "Disabled",
    )


def _active(window: JsonObject, now: datetime) -> bool:
    try:
        return is_open(msgspec.convert(window, SyncWindow), now, now)
    except (InvalidInput, msgspec.ValidationError):
        return False


def _checked(spec: JsonObject, number: int) -> list[JsonObject]:
    windows: list[JsonObject] = spec.get("syncWindows") or []
    if not 0 <= number < len(windows):
        raise NotFound(f"there is no window {number}", hint="See which there are with: plumb proj windows list.")
    return windows


def _filled(window: JsonObject) -> JsonObject:
    return {key: value for key, value in window.items() if value not in (None, "", [], (), False)}
