"""From an object that somebody sent to one that is stored."""

from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.metadata import (
    in_namespace,
    metadata_of,
    unique_owners,
    with_identity,
    without_system_fields,
)
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.storage.encoding import with_revision
from plumbline.base.errors import Conflict, RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.apply import track_update

NAME_ATTEMPTS: Final = 8


async def create(context: Context, scope: Scope, obj: JsonObject, options: JsonObject) -> JsonObject:
    """*obj* is as the model reads it; the answer is what is stored, or would be in a dry run."""
    obj = unique_owners(in_namespace(without_system_fields(obj), scope), scope.warnings)
    obj = track_update(None, obj, context.writer(scope), scope.model.shape)
    obj = await context.admission.mutated(Attributes(scope, Operation.CREATE, obj, options=options))
    return await create_admitted(context, scope, unique_owners(obj, scope.warnings, admitted=True), options)


async def create_admitted(context: Context, scope: Scope, obj: JsonObject, options: JsonObject) -> JsonObject:
    attempts = NAME_ATTEMPTS if _name_is_generated(obj) else 1
    while True:
        attempts -= 1
        try:
            return await _create_once(context, scope, with_identity(obj, context.clock, context.ids), options)
        except RequestRefused as refused:
            if not attempts or refused.status.get("reason") != "AlreadyExists":
                raise


async def _create_once(context: Context, scope: Scope, obj: JsonObject, options: JsonObject) -> JsonObject:
    with context.reservations.held(scope, obj, None) as reserved:
        new = _prepared(context, scope, reserved)
        await context.admission.check(Attributes(scope, Operation.CREATE, new, options=options))
        return await _store(context, scope, str(metadata_of(new).get("name") or ""), new)


def _prepared(context: Context, scope: Scope, obj: JsonObject) -> JsonObject:
    """*obj* as it may be stored, or a refusal."""
    model = scope.model
    obj = model.prepare_create(obj, context.writing(scope))
    errors = model.create_errors(obj)
    if errors:
        raise statuses.invalid(model.resource.storage_kind.group_kind, str(metadata_of(obj).get("name") or ""), errors)
    scope.warnings.extend(model.create_warnings(obj))
    return obj


async def _store(context: Context, scope: Scope, name: str, obj: JsonObject) -> JsonObject:
    key = scope.key(name)
    if metadata_of(obj).get("resourceVersion"):
        raise statuses.plain_failure(500, "resourceVersion should not be set on objects to be created")
    if context.store.head(key) is not None:
        raise _taken(context, scope, name, obj)
    if scope.dry_run:
        return obj
    try:
        entry = await context.store.put(key, None, await context.stored(scope, obj))
    except Conflict:
        raise _taken(context, scope, name, obj) from None
    return with_revision(obj, entry.revision)


def _taken(context: Context, scope: Scope, name: str, obj: JsonObject) -> RequestRefused:
    resource = scope.resource
    refused = statuses.already_exists(resource.kind.group, resource.plural, name)
    if metadata_of(obj).get("generateName"):
        refused.status["message"] += ", the server was not able to generate a unique name for the object"
        refused.status["details"]["retryAfterSeconds"] = 1
    there = context.store.head(scope.key(name))
    if there is not None and metadata_of(there.object()).get("deletionTimestamp"):
        refused.status["message"] = f"object is being deleted: {refused.status['message']}"
    return refused


def _name_is_generated(obj: JsonObject) -> bool:
    metadata = metadata_of(obj)
    return bool(metadata.get("generateName")) and not metadata.get("name")
