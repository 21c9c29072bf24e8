"""Waiting for an application: what was asked for, one line for each change on the way, and how it ended."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Final, NamedTuple

import click

from plumbline.base.clock import Clock
from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject
from plumbline.cli.applications.drawing import COLOURS
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.picking import Picked
from plumbline.cli.applications.states import Key, State, by_key, states
from plumbline.cli.applications.store import Applications
from plumbline.cli.terminal import plain
from plumbline.kinds.timestamp import Time

_COLUMNS: Final = ("TIMESTAMP", "GROUP", "KIND", "NAMESPACE", "NAME", "STATUS", "HEALTH", "HOOK", "MESSAGE")
_WIDTHS: Final = (25, 10, 12, 12, 24, 10, 12, 10)
_WELL: Final = frozenset({"", "Unknown", "Degraded"})
Say = Callable[[str], None]


class Wanted(NamedTuple):
    """What is waited for. Nothing named means synced, healthy and at rest."""

    sync: bool = False
    health: bool = False
    suspended: bool = False
    degraded: bool = False
    operation: bool = False
    delete: bool = False
    hydrated: bool = False

    @property
    def meant(self) -> "Wanted":
        return self if any(self) else Wanted(sync=True, health=True, operation=True)

    def met(self, app: JsonObject, rules: Sequence[Picked] = ()) -> bool:
        """Whether the application is so, or, with *rules*, every object that they mean."""
        if self.delete or (self.operation and busy(app)) or (self.hydrated and not _hydrated(app)):
            return False
        status = app.get("status") or {}
        if rules:
            return all(self._fits(each.health, each.status) for each in states(app, rules))
        return self._fits(
            str((status.get("health") or {}).get("status") or ""), str((status.get("sync") or {}).get("status") or "")
        )

    def _fits(self, health: str, sync: str) -> bool:
        named = (("Healthy", self.health), ("Suspended", self.suspended), ("Degraded", self.degraded))
        healths = {name for name, asked in named if asked}
        return (not healths or health in healths) and (not self.sync or sync == "Synced")


class Ended(NamedTuple):
    """*app* as it was then; None once it is gone."""

    app: JsonObject | None
    degraded: str = ""
    """Why waiting for health is pointless."""
    late: bool = False
    """It is not as it is wanted, and the time is over."""


def busy(app: JsonObject) -> bool:
    """Whether an operation is asked for, under way, or over and nobody has looked at what came of it."""
    if app.get("operation") is not None:
        return True
    status = app.get("status") or {}
    state = status.get("operationState")
    if not isinstance(state, dict):
        return False
    if not state.get("finishedAt"):
        return True
    dry = ((state.get("operation") or {}).get("sync") or {}).get("dryRun")
    return not dry and _before(status.get("reconciledAt"), state["finishedAt"])


def _before(earlier: object, later: object) -> bool:
    try:
        return Time.read(earlier) < Time.read(later)
    except ValueError:
        return True


def _hydrated(app: JsonObject) -> bool:
    status = (app.get("status") or {}).get("sourceHydrator") or {}
    current, last = status.get("currentOperation") or {}, status.get("lastSuccessfulOperation") or {}
    same = all(current.get(part) == last.get(part) for part in ("sourceHydrator", "drySHA"))
    return current.get("phase") == "Hydrated" and bool(last) and same


class Progress:
    """Says what changed: one line for each object, under the phase and wave of the sync that it belongs to."""

    def __init__(self, say: Say, clock: Clock, rules: Sequence[Picked] = ()) -> None:
        self._say = say
        self._clock = clock
        self._rules = rules
        self._known: dict[Key, State] = {}
        self._heading = ""
        self._waiting = ""

    def see(self, app: JsonObject) -> str:
        """Say what is new. Returns why waiting for health is over, where an object has just become Degraded."""
        degraded = ""
        for key, state in by_key(states(app, self._rules)).items():
            before = self._known.get(key)
            now = state if before is None else before.merged(state)
            if before is not None and before.health not in _WELL and now.health == "Degraded":
                degraded = f"{state.kind}/{state.name} health state has transitioned from {before.health} to Degraded"
            if before is None or before.shown != now.shown:
                self._tell(now)
            self._known[key] = now
        self._tell_waiting(app)
        return degraded

    def _tell_waiting(self, app: JsonObject) -> None:
        """What an operation that is under way says of itself: for what it waits, or when it is tried again."""
        state = (app.get("status") or {}).get("operationState") or {}
        message = str(state.get("message") or "") if state.get("phase") == "Running" else ""
        if message and message != self._waiting:
            self._say(plain(message))
        self._waiting = message

    def _tell(self, state: State) -> None:
        heading = _heading(state)
        if not self._known and not self._heading:
            self._say(_line(_COLUMNS))
        if heading and heading != self._heading:
            self._heading = heading
            self._say(click.style(heading, bold=True))
        stamp = self._clock.now().astimezone().isoformat(timespec="seconds")
        self._say(_line((stamp, *state.shown)))


def _heading(state: State) -> str:
    if not state.phase:
        return ""
    return f"{state.phase}, wave {state.wave}" if state.wave is not None else state.phase


def _line(cells: Sequence[str]) -> str:
    shown = [_cell(plain(cell), width) for cell, width in zip(cells[:-1], _WIDTHS, strict=True)]
    return "  ".join((*shown, plain(cells[-1]))).rstrip()


def _cell(text: str, width: int) -> str:
    colour = COLOURS.get(text)
    return (click.style(text, fg=colour) if colour else text) + " " * (width - len(text))


async def awaited(
    apps: Applications,
    name: AppName,
    wanted: Wanted,
    progress: Progress,
    *,
    rules: Sequence[Picked] = (),
    within_s: float = 0,
) -> Ended:
    """Wait until the application is as it is *wanted*, without end where *within_s* is zero."""
    last: JsonObject | None = None
    try:
        async with asyncio.timeout(within_s or None), aclosing(apps.follow(name)) as changes:
            async for app in changes:
                if app is None:
                    return _gone(name, wanted)
                last = app
                degraded = progress.see(app)
                if wanted.met(app, rules):
                    return Ended(app)
                if degraded and wanted.health and not wanted.degraded:
                    return Ended(app, degraded)
    except TimeoutError:
        return Ended(last, late=True)
    raise NotFound(f"the application {name} cannot be followed")  # pragma: no cover - it is followed for ever


def _gone(name: AppName, wanted: Wanted) -> Ended:
    if wanted.delete:
        return Ended(None)
    raise NotFound(f"there is no application {name}", hint="See which there are with: plumb app list.")
