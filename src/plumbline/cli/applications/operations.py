"""Operations as people ask for them: a sync, and a rollback. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from plumbline.base.clock import rfc3339
from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import Json, JsonObject
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import automated
from plumbline.delivery.steps.pins import PIN, Pin
from plumbline.kinds.duration import Duration

_RETRIES = {"duration": "5s", "maxDuration": "3m0s", "factor": 2}


class Asked(NamedTuple):
    """What a sync was asked to do."""

    prune: bool = False
    dry_run: bool = False
    force: bool = False
    strategy: str = "hook"
    options: tuple[str, ...] = ()
    """Sync options instead of the application's; its own where there are none."""
    revision: str = ""
    revisions: tuple[str, ...] = ()
    resources: Sequence[JsonObject] = ()
    manifests: Sequence[str] = ()
    infos: tuple[str, ...] = ()
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
        "syncOptions": list(asked.options) or policy.get("syncOptions"),
        "resources": list(asked.resources),
        "manifests": list(asked.manifests),
        "syncStrategy": {asked.strategy: {"force": True} if asked.force else {}},
    }
    whole: JsonObject = {
        "sync": {name: value for name, value in operation.items() if _said(value)},
        "initiatedBy": {"username": username},
        "info": [_info(each) for each in asked.infos],
        "retry": asked.retry or policy.get("retry"),
    }
    return {name: value for name, value in whole.items() if _said(value)}


def _said(value: Json) -> bool:
    return value not in (None, "", [], False)


def _info(text: str) -> JsonObject:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InvalidInput(f"{text!r} cannot be noted", why="it should be NAME=VALUE")
    return {"name": name, "value": value}


def entry(app: JsonObject, number: int | None) -> JsonObject:
    """The past sync of that *number*; without one, the last but one."""
    history: list[JsonObject] = (app.get("status") or {}).get("history") or []
    name = AppName.of(app)
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


def rollback(app: JsonObject, to: JsonObject, *, prune: bool, username: str) -> JsonObject:
    operation: JsonObject = {
        "revision": to.get("revision"),
        "revisions": to.get("revisions"),
        "prune": prune,
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
