"""`status.sourceHydrator`: what of it is written, and how that stands up to whoever writes the same object meanwhile."""

from collections.abc import Callable
from typing import Final

from plumbline.base.errors import Conflict, Fenced, NotFound
from plumbline.base.json import Json, JsonObject
from plumbline.delivery.status import HYDRATE
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.informer import Informer
from plumbline.kernel.records import Records
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Target
from plumbline.kube.object import Object
from plumbline.kube.patch.merge_patch import create_merge_patch

_TRIES: Final = 5
_LONGEST_MESSAGE: Final = 8192

Edit = Callable[[JsonObject], JsonObject]
"""From what the status says of hydration to what it is to say. Pure."""


def begun(spec: Json, dry_sha: str, now: str) -> Edit:
    """It is being written. Whoever goes on with what was begun before keeps when that was."""

    def edit(before: JsonObject) -> JsonObject:
        last = before.get("currentOperation")
        since = last.get("startedAt") if isinstance(last, dict) and last.get("phase") == "Hydrating" else None
        operation = {"startedAt": since or now, "phase": "Hydrating", "message": "", "drySHA": dry_sha}
        return {**before, "currentOperation": {**operation, "sourceHydrator": spec}}

    return edit


def hydrated(spec: Json, shas: tuple[str, str], since: str, now: str) -> Edit:
    """*shas* are that of the dry commit and that of the one that was made of it."""
    outcome = {"drySHA": shas[0], "hydratedSHA": shas[1], "sourceHydrator": spec}

    def edit(before: JsonObject) -> JsonObject:
        times = {"startedAt": _since(before, since), "finishedAt": now}
        current = {**times, "phase": "Hydrated", "message": "", **outcome}
        return {
            **before,
            "currentOperation": current,
            "lastSuccessfulOperation": outcome,
            "lastComparedDryRevision": shas[0],
        }

    return edit


def failed(spec: Json, message: str, dry_sha: str, since: str, now: str) -> Edit:
    def edit(before: JsonObject) -> JsonObject:
        told = f"Failed to hydrate: {message}"[:_LONGEST_MESSAGE]
        current = {"startedAt": _since(before, since), "finishedAt": now, "phase": "Failed", "message": told}
        seen = {"drySHA": dry_sha} if dry_sha else {}
        compared = {"lastComparedDryRevision": dry_sha} if dry_sha else {}
        return {**before, "currentOperation": {**current, **seen, "sourceHydrator": spec}, **compared}

    return edit


def compared(dry_sha: str) -> Edit:
    """Nothing has to be written: only where the dry source is, if that was of interest, and what was asked for is taken off."""

    def edit(before: JsonObject) -> JsonObject:
        return {**before, "lastComparedDryRevision": dry_sha} if dry_sha else before

    return edit


def others_failed(faults: dict[Key, str]) -> str:
    """What is said of an application that has no fault of its own."""
    first, *more = sorted("/".join(key) for key in faults)
    rest = f"and {len(more)} more have errors" if more else "has an error"
    return f"cannot hydrate because application {first} {rest}"


class Telling:
    def __init__(self, applications: Informer, records: Records) -> None:
        self._applications = applications
        self._records = records

    async def tell(self, key: Key, edit: Edit) -> None:
        """Write it, and take the request off that is dealt with. An application that is gone is told nothing."""
        entry = self._applications.cache.get(key)
        for _ in range(_TRIES):
            if entry is None:
                return
            try:
                await self._write(entry, edit)
            except Fenced:
                raise
            except Conflict:
                entry = await self._fetched(key)
            else:
                return
        raise Conflict(f"The status of {'/'.join(key)} is not written", why="others keep writing it")

    async def _write(self, entry: Cached, edit: Edit) -> None:
        obj = entry.object()
        status = obj.get("status")
        before = status.get("sourceHydrator") if isinstance(status, dict) else None
        known: JsonObject = before if isinstance(before, dict) else {}
        change: JsonObject = {}
        if patch := create_merge_patch(known, edit(known)):
            change["status"] = {"sourceHydrator": patch}
        if HYDRATE in Object(obj).annotations:
            change["metadata"] = {"annotations": {HYDRATE: None}}
        if not change:
            return
        reply = await self._records.write(Target(APPLICATION.resource, *entry.meta.key), obj, change)
        if reply:
            self._applications.learn(reply)

    async def _fetched(self, key: Key) -> Cached | None:
        try:
            return await self._applications.fetched(key)
        except NotFound:
            return None


def _since(before: JsonObject, now: str) -> str:
    last = before.get("currentOperation")
    begun_at = last.get("startedAt") if isinstance(last, dict) and last.get("phase") == "Hydrating" else None
    return str(begun_at or now)
