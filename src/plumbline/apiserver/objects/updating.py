"""Every change of an object that is there: update, the four patches, subresources."""

from collections.abc import Callable
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.context import Context, conflict, missing
from plumbline.apiserver.objects.creation import create_admitted
from plumbline.apiserver.objects.deletion import is_finished, take_away
from plumbline.apiserver.objects.metadata import in_namespace, metadata_of, unique_owners, with_metadata
from plumbline.apiserver.objects.revisions import revision_of
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.resources.resource import Resource
from plumbline.apiserver.storage.encoding import with_revision
from plumbline.apiserver.storage.entries import Entry
from plumbline.base.errors import Conflict
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

ATTEMPTS: Final = 5

_APART: Final = frozenset({"apiextensions.k8s.io", "apiregistration.k8s.io"})
_SHELVES: Final = {
    "endpoints": "services/endpoints",
    "ingresses": "ingress",
    "nodes": "minions",
    "replicationcontrollers": "controllers",
    "services": "services/specs",
}

Change = Callable[[JsonObject | None], JsonObject]
"""Gives the new object for the live one (None where there is none), with its managedFields."""
Written = tuple[JsonObject, bool]
"""The object as it is now, and whether it was created."""


async def update(
    context: Context, scope: Scope, change: Change, options: JsonObject, *, may_create: bool = False
) -> Written:
    """Carry out *change* on what is there, again if somebody else wrote in between."""
    attempts = ATTEMPTS
    while True:
        attempts -= 1
        try:
            return await _update_once(context, scope, change, options, may_create=may_create)
        except Conflict:
            if not attempts:
                raise conflict(scope) from None


async def _update_once(
    context: Context, scope: Scope, change: Change, options: JsonObject, *, may_create: bool
) -> Written:
    entry = context.store.head(scope.key())
    if entry is None:
        if not may_create:
            raise missing(scope)
        return await _create(context, scope, change(None), options), True
    live = await context.live(scope, entry)
    new = change(live)
    new = await context.admission.mutated(Attributes(scope, Operation.UPDATE, new, live, options))
    new = unique_owners(new, scope.warnings, admitted=True)
    _check_preconditions(scope, new, live)
    with context.reservations.held(scope, new, live) as reserved:
        new = _prepared(context, scope, reserved, live)
        await context.admission.check(Attributes(scope, Operation.UPDATE, new, live, options))
        return await _store(context, scope, entry, live, new), False


async def _create(context: Context, scope: Scope, obj: JsonObject, options: JsonObject) -> JsonObject:
    _revision(metadata_of(obj))
    obj = with_metadata(in_namespace(obj, scope), resourceVersion=None)
    obj = await context.admission.mutated(Attributes(scope, Operation.CREATE, obj, options=options))
    return await create_admitted(context, scope, unique_owners(obj, scope.warnings, admitted=True), options)


def _prepared(context: Context, scope: Scope, new: JsonObject, live: JsonObject) -> JsonObject:
    """*new* as it may be stored over *live*, or a refusal."""
    model = scope.model
    kept = _kept_metadata(in_namespace(new, scope), live)
    new = model.prepare_update(kept, live, scope.subresource, context.writing(scope))
    errors = model.update_errors(new, live, scope.subresource)
    if errors:
        raise statuses.invalid(model.resource.storage_kind.group_kind, scope.name, errors)
    scope.warnings.extend(model.update_warnings(new, live, scope.subresource))
    return _same_but_for_times(new, live)


def _check_preconditions(scope: Scope, new: JsonObject, live: JsonObject) -> None:
    version = _revision(metadata_of(new))
    if version:
        if str(version) != metadata_of(live).get("resourceVersion"):
            raise conflict(scope)
    elif not scope.model.unconditional_update:
        kind = GroupKind(scope.resource.kind.group, scope.resource.plural)
        wrong = invalid("metadata.resourceVersion", 0, "must be specified for an update")
        raise statuses.invalid(kind, scope.name, [wrong])


def _revision(given: JsonObject) -> int:
    """Zero where the writer does not say which version it saw."""
    try:
        return revision_of(str(given.get("resourceVersion") or "")) or 0
    except ValueError as bad:
        raise statuses.plain_failure(500, str(bad)) from None


def check_uid(scope: Scope, uid: Json, live: JsonObject) -> None:
    """Refuse another object than is there, as the real server words it, which names the place in its store."""
    there = metadata_of(live)
    if not uid or uid == there.get("uid"):
        return
    where = f"/registry/{_shelf_of(scope.resource)}/{scope.key().path}"
    why = (
        f"StorageError: invalid object, Code: 4, Key: {where}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: UID in precondition: {uid}, UID in object meta: {there.get('uid') or ''}"
    )
    raise conflict(scope, why)


def _shelf_of(resource: Resource) -> str:
    """Where the real server keeps objects of a resource."""
    plural, group = resource.plural, resource.kind.group
    if resource.custom or group in _APART:
        return f"{group}/{plural}"
    return _SHELVES.get(plural, plural)


def _kept_metadata(new: JsonObject, live: JsonObject) -> JsonObject:
    """What no update may change is as it was, whatever was sent."""
    there, given = metadata_of(live), metadata_of(new)
    kept = {
        "generation": there.get("generation"),
        "uid": given.get("uid") or there.get("uid"),
        "creationTimestamp": there.get("creationTimestamp"),
        "resourceVersion": there.get("resourceVersion"),
        "selfLink": None,
    }
    if there.get("deletionTimestamp"):
        kept["deletionTimestamp"] = there["deletionTimestamp"]
        if given.get("deletionGracePeriodSeconds") is None:
            kept["deletionGracePeriodSeconds"] = there.get("deletionGracePeriodSeconds")
    return with_metadata(new, **kept)


def _same_but_for_times(new: JsonObject, live: JsonObject) -> JsonObject:
    """*live* where nothing but the times in managedFields would change: that is no reason to write."""
    if _without_times(new) != _without_times(live):
        return new
    return live


def _without_times(obj: JsonObject) -> JsonObject:
    metadata = metadata_of(obj)
    managed = [{**entry, "time": None} for entry in metadata.get("managedFields") or ()]
    return {**obj, "metadata": {**metadata, "managedFields": managed}}


async def _store(context: Context, scope: Scope, entry: Entry, live: JsonObject, new: JsonObject) -> JsonObject:
    if scope.dry_run or new == live:
        return new
    if is_finished(new, live) and not scope.model.held(new):
        await take_away(context, entry)
        return new  # under the version that it was last stored in: this one never is
    written = await context.store.put(entry.key, entry, await context.stored(scope, new))
    return with_revision(new, written.revision)
