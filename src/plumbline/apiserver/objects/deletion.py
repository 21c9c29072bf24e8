"""How objects go: at once, after a grace period, or when the last finalizer has been removed."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.context import Context, conflict, missing
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.encoding import under_revision, with_revision
from plumbline.apiserver.storage.entries import Entry
from plumbline.base.clock import rfc3339
from plumbline.base.errors import Conflict, RequestRefused
from plumbline.base.json import Json, JsonObject

ORPHAN: Final = "orphan"
FOREGROUND: Final = "foregroundDeletion"
ATTEMPTS: Final = 5
_IN_STEPS: Final = frozenset(
    {Collection("", "namespaces"), Collection("apiextensions.k8s.io", "customresourcedefinitions")}
)


class DeleteOptions(msgspec.Struct, frozen=True, rename="camel"):
    grace_period_seconds: int | None = None
    orphan_dependents: bool | None = None
    propagation_policy: str = ""
    uid: str | None = None
    resource_version: str | None = None


class Deleted(NamedTuple):
    obj: JsonObject
    gone: bool
    """False where it only began: a grace period runs, or finalizers are left."""


async def delete(context: Context, scope: Scope, wanted: DeleteOptions, options: JsonObject) -> Deleted:
    attempts = ATTEMPTS
    while True:
        attempts -= 1
        try:
            return await _delete_once(context, scope, wanted, options)
        except Conflict:
            if not attempts:
                raise conflict(scope) from None


async def _delete_once(context: Context, scope: Scope, wanted: DeleteOptions, options: JsonObject) -> Deleted:
    entry = context.store.head(scope.key())
    if entry is None:
        raise missing(scope)
    live = await context.live(scope, entry)
    _check_preconditions(scope, wanted, live)
    await context.admission.check(Attributes(scope, Operation.DELETE, None, live, options))
    going = _begun(context, scope, wanted, live)
    if going is None and not scope.model.held(live):
        going = _going(scope, wanted, live, context.clock.now())
    if going is None:
        return Deleted(live, gone=False)
    if scope.dry_run:
        return Deleted(going.obj, going.gone)
    if going.obj != live:
        entry = await context.store.put(entry.key, entry, await context.stored(scope, going.obj))
    if not going.gone:
        return Deleted(with_revision(going.obj, entry.revision), gone=False)
    last = await take_away(context, entry)
    return Deleted(with_revision(going.obj, last.revision), gone=True)


async def take_away(context: Context, entry: Entry) -> Entry:
    """Out of the store. Watchers see it as it was stored last, under the revision of its going."""
    return await context.store.remove(entry.key, entry, under_revision(entry.object()))


def is_finished(new: JsonObject, live: JsonObject) -> bool:
    """Whether an update takes away the last thing that kept a deleted object."""
    was, will_be = metadata_of(live), metadata_of(new)
    grace = will_be.get("deletionGracePeriodSeconds")
    return bool(was.get("deletionTimestamp")) and not will_be.get("finalizers") and grace in (None, 0)


def _check_preconditions(scope: Scope, wanted: DeleteOptions, live: JsonObject) -> None:
    metadata = metadata_of(live)
    version = metadata.get("resourceVersion")
    if wanted.uid is not None and wanted.uid != metadata.get("uid"):
        raise _mismatch(scope, ("UID", wanted.uid, metadata.get("uid")), "deleted and then recreated")
    if wanted.resource_version is not None and wanted.resource_version != version:
        raise _mismatch(scope, ("ResourceVersion", wanted.resource_version, version), "modified")


def _mismatch(scope: Scope, found: tuple[str, str, Json], happened: str) -> RequestRefused:
    """Kinds that go in steps look for themselves, and have other words for it."""
    kind, (what, given, there) = scope.resource.kind, found
    if scope.resource.collection in _IN_STEPS:
        why = f"Precondition failed: {what} in precondition: {given}, {what} in object meta: {there}"
        return conflict(scope, why)
    why = (
        f"the {what} in the precondition ({given}) does not match the {what} in record ({there}). "
        f"The object might have been {happened}"
    )
    return statuses.conflict(kind.group, kind.kind, scope.name, why)


def _begun(context: Context, scope: Scope, wanted: DeleteOptions, live: JsonObject) -> Deleted | None:
    """What the first request makes of *live*, where its kind takes more than one."""
    if metadata_of(live).get("deletionTimestamp"):
        return None
    begun = scope.model.begin_deletion(live, context.writing(scope))
    if begun is None:
        return None
    finalizers = _finalizers(scope, wanted, metadata_of(begun)) or None
    now = rfc3339(context.clock.now())
    return Deleted(with_metadata(begun, deletionTimestamp=now, finalizers=finalizers), gone=False)


def _going(scope: Scope, wanted: DeleteOptions, live: JsonObject, now: datetime) -> Deleted | None:
    """What deleting makes of *live*; None where a deletion under way goes on as it is."""
    metadata = metadata_of(live)
    asked_s = wanted.grace_period_seconds
    asked_s = 1 if asked_s is not None and asked_s < 0 else asked_s
    graceful = scope.model.graceful
    if graceful and metadata.get("deletionTimestamp") and metadata.get("deletionGracePeriodSeconds"):
        shortened = _shortened(live, asked_s, now)
        if shortened is None:
            return None
        marked, graceful = shortened, True
    else:
        grace_s = scope.model.grace_s(live, asked_s) if graceful and not metadata.get("deletionTimestamp") else None
        graceful = grace_s is not None
        marked = _marked(live, grace_s, now) if grace_s is not None else live
    finalizers = _finalizers(scope, wanted, metadata)
    if finalizers:
        marked = marked if graceful else _marked(marked, 0, now)
        return Deleted(with_metadata(marked, finalizers=finalizers), gone=False)
    if not graceful:
        return Deleted(live, gone=True)
    # A grace period is written even where it is none: who watches sees that it was asked to go, then that it went.
    waits = bool(metadata_of(marked).get("deletionGracePeriodSeconds"))
    return Deleted(with_metadata(marked, finalizers=None), gone=not waits)


def _marked(live: JsonObject, grace_s: int, now: datetime) -> JsonObject:
    metadata = metadata_of(live)
    first = not metadata.get("deletionTimestamp")
    generation = metadata.get("generation")
    due = rfc3339(now + timedelta(seconds=grace_s))
    return with_metadata(
        live,
        deletionTimestamp=due if first or str(metadata["deletionTimestamp"]) > due else metadata["deletionTimestamp"],
        deletionGracePeriodSeconds=grace_s,
        generation=generation + 1 if first and generation else generation,
    )


def _shortened(live: JsonObject, asked_s: int | None, now: datetime) -> JsonObject | None:
    """*live*, already going, with less time left; None where nothing shorter was asked."""
    metadata = metadata_of(live)
    current_s = int(metadata["deletionGracePeriodSeconds"])
    if asked_s is None or asked_s >= current_s:
        return None
    due = datetime.fromisoformat(str(metadata["deletionTimestamp"])) - timedelta(seconds=current_s - asked_s)
    if due < now:
        due, asked_s = now, min(asked_s, 1)  # all of it is over: what is left to do takes the least there is
    return with_metadata(live, deletionTimestamp=rfc3339(due), deletionGracePeriodSeconds=asked_s)


def _finalizers(scope: Scope, wanted: DeleteOptions, metadata: JsonObject) -> list[str]:
    """What is left to do for others before it may go, with the collector's own as the options say."""
    there = [str(each) for each in metadata.get("finalizers") or ()]
    own = _collector(scope, wanted, there)
    kept = [each for each in there if each not in (ORPHAN, FOREGROUND)]
    return [*kept, own] if own else kept


def _collector(scope: Scope, wanted: DeleteOptions, there: list[str]) -> str | None:
    if wanted.orphan_dependents is not None:
        return ORPHAN if wanted.orphan_dependents else None
    if wanted.propagation_policy:
        return {"Orphan": ORPHAN, "Foreground": FOREGROUND}.get(wanted.propagation_policy)
    for each in there:
        if each in (ORPHAN, FOREGROUND):
            return each
    return ORPHAN if scope.model.orphans_by_default else None
