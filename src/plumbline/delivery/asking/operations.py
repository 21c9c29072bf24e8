"""Operations as people ask for them: a sync, a rollback, and the end of either. Pure.

Whoever asks, through the command line or the web, what is written on the Application is made here.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from plumbline.base.clock import rfc3339
from plumbline.base.errors import Conflict, InvalidInput, NotFound, WrongState
from plumbline.base.json import Json, JsonObject
from plumbline.delivery.steps.pins import PIN, Pin
from plumbline.kinds.duration import Duration

_RETRIES: Final = {"duration": "5s", "maxDuration": "3m0s", "factor": 2}
_UNDER_WAY: Final = frozenset({"Running", "Terminating"})


class Asked(NamedTuple):
    """What a sync was asked to do."""

    prune: bool = False
    dry_run: bool = False
    strategy: JsonObject | None = None
    """`{"hook": {"force": true}}` or the like; by hooks where there is none."""
    options: Sequence[str] | None = None
    """Sync options instead of the application's; its own where there are none."""
    revision: str = ""
    revisions: tuple[str, ...] = ()
    resources: Sequence[JsonObject] = ()
    manifests: Sequence[str] = ()
    infos: Sequence[JsonObject] = ()
    retry: JsonObject | None = None
    """Instead of the application's."""


def sync(app: JsonObject, asked: Asked, username: str) -> JsonObject:
    """The operation for *app*, as Argo CD's server would write it."""
    spec = app.get("spec") or {}
    policy = spec.get("syncPolicy") or {}
    several = spec.get("sources")
    operation: JsonObject = {
        "source": None if several else spec.get("source"),
        "sources": several,
        "revision": asked.revision,
        "revisions": list(asked.revisions),
        "prune": asked.prune,
        "dryRun": asked.dry_run,
        "syncOptions": policy.get("syncOptions") if asked.options is None else list(asked.options),
        "resources": list(asked.resources),
        "manifests": list(asked.manifests),
    }
    whole: JsonObject = {
        "sync": {name: value for name, value in operation.items() if _said(value)}
        | {"syncStrategy": asked.strategy or {"hook": {}}},
        "initiatedBy": {"username": username},
        "info": list(asked.infos),
        "retry": asked.retry or policy.get("retry"),
    }
    return {name: value for name, value in whole.items() if _said(value)}


def _said(value: Json) -> bool:
    return value not in (None, "", [], False)


def strategy(name: str, *, force: bool) -> JsonObject:
    """By `hook` or by `apply`; *force* makes anew what cannot be changed."""
    return {name: {"force": True} if force else {}}


def info(text: str) -> JsonObject:
    """NAME=VALUE, as an operation notes it."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InvalidInput(f"{text!r} cannot be noted", why="it should be NAME=VALUE")
    return {"name": name, "value": value}


def revisions_for(
    app: JsonObject, revision: str, revisions: Sequence[str], positions: Sequence[int]
) -> tuple[str, ...]:
    """One revision for each source, empty where the source's own is meant. Positions count from one."""
    count = len((app.get("spec") or {}).get("sources") or []) or 1
    if revision:
        return (revision,)
    chosen = [""] * count if revisions else []
    for position, each in zip(positions, revisions, strict=True):
        if not 1 <= position <= count:
            raise InvalidInput(
                f"there is no source at position {position}", why=f"it has {count}", hint="Positions count from 1."
            )
        chosen[position - 1] = each
    return tuple(chosen)


def entry(app: JsonObject, number: int | None) -> JsonObject:
    """The past sync of that *number*; without one, the last but one."""
    history: list[JsonObject] = (app.get("status") or {}).get("history") or []
    name = _name(app)
    if number is None:
        if len(history) < 2:  # noqa: PLR2004 - the present one, and one before it
            raise NotFound(f"there is nothing to go back to for {name}", why="it was not synced at least twice")
        return history[-2]
    found = next((each for each in history if each.get("id") == number), None)
    if found is None:
        raise NotFound(f"{name} has no sync {number} in its history", hint=f"See them with: plumb app history {name}.")
    if not found.get("source") and not found.get("sources"):
        raise InvalidInput(f"{name} cannot go back to {number}", why="its history does not say what was synced")
    return found


def rollback(app: JsonObject, to: JsonObject, *, prune: bool, username: str, dry_run: bool = False) -> JsonObject:
    operation: JsonObject = {
        "revision": to.get("revision"),
        "revisions": to.get("revisions"),
        "prune": prune,
        "dryRun": dry_run,
        "syncOptions": ((app.get("spec") or {}).get("syncPolicy") or {}).get("syncOptions"),
        "syncStrategy": {"apply": {}},
        "source": to.get("source"),
        "sources": to.get("sources"),
    }
    said = {name: value for name, value in operation.items() if _said(value)}
    return {"sync": said, "initiatedBy": {"username": username}}


def pin(app: JsonObject, to: JsonObject, until: datetime | None) -> JsonObject:
    """The annotation that holds an automated application where it goes; none for one that stays by itself."""
    if not automated(app):
        return {}
    revisions = tuple(to.get("revisions") or (to.get("revision") or "",))
    return {PIN: Pin(revisions, rfc3339(until) if until is not None else "", int(to.get("id") or 0)).written()}


def until(now: datetime, lasting: str) -> datetime | None:
    """When a pin of that duration ends; None for one that lasts until somebody takes it away."""
    return now + timedelta(seconds=Duration.parse(lasting).seconds) if lasting else None


def backoff(limit: int, said: JsonObject, *, refresh: bool) -> JsonObject | None:
    """How often a sync is tried again; None where the application's own policy counts."""
    if not limit:
        return None
    given = {name: value for name, value in said.items() if value is not None}
    retry: JsonObject = {"limit": limit, "backoff": {**_RETRIES, **given}}
    return {**retry, "refresh": True} if refresh else retry


def begun(app: JsonObject, operation: JsonObject, annotations: JsonObject | None = None) -> JsonObject:
    """The merge patch that asks for *operation*, of this very version of *app*.

    Raises Conflict where another is under way, and WrongState where the application is going.
    """
    name = _name(app)
    if app.get("operation") is not None or phase_of(app) in _UNDER_WAY:
        raise Conflict(
            f"{name} is not synced",
            why="another operation is already in progress",
            hint=f"Wait for it with: plumb app wait {name} --operation; or end it with: plumb app terminate-op {name}.",
        )
    if app["metadata"].get("deletionTimestamp"):
        raise WrongState(f"{name} is not synced", why="application is deleting")
    noted = {"annotations": annotations} if annotations else {}
    return {"metadata": _pinned(app) | noted, "operation": operation, "status": {"operationState": None}}


def ended(app: JsonObject) -> JsonObject:
    """The merge patch that ends the operation of this very version of *app*. Raises InvalidInput where there is none."""
    if phase_of(app) != "Running":
        raise InvalidInput(f"{_name(app)} has no operation to end", why="no operation is in progress")
    return {"metadata": _pinned(app), "status": {"operationState": {"phase": "Terminating"}}}


def _pinned(app: JsonObject) -> JsonObject:
    return {"resourceVersion": app["metadata"]["resourceVersion"]}


def phase_of(app: JsonObject) -> str:
    """How far the last operation is; empty where there was none."""
    return str(((app.get("status") or {}).get("operationState") or {}).get("phase") or "")


def project_of(app: JsonObject) -> str:
    return str((app.get("spec") or {}).get("project") or "default")


def automated(app: JsonObject) -> bool:
    """Whether it is synced without being asked for."""
    policy = ((app.get("spec") or {}).get("syncPolicy") or {}).get("automated")
    return isinstance(policy, dict) and policy.get("enabled") is not False


def _name(app: JsonObject) -> str:
    metadata = app.get("metadata") or {}
    return f"{metadata.get('namespace') or ''}/{metadata.get('name') or ''}"
