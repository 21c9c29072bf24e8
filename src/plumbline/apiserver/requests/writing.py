"""POST, PUT, PATCH and DELETE."""

from typing import NamedTuple

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.creation import create
from plumbline.apiserver.objects.deletion import delete
from plumbline.apiserver.objects.metadata import in_namespace, metadata_of, unique_owners
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.objects.updating import Change, check_uid, update
from plumbline.apiserver.requests.bodies import read_delete_options, read_object
from plumbline.apiserver.requests.listing import page
from plumbline.apiserver.requests.options import (
    WriteOptions,
    delete_options,
    delete_parameters,
    list_options,
    write_options,
)
from plumbline.apiserver.requests.patching import APPLY_PATCH, apply_change, patch_change, patch_type
from plumbline.apiserver.requests.replies import Replies
from plumbline.base.json import JsonObject, encode
from plumbline.kube.apply import Writer, track_update


async def post(context: Context, scope: Scope, call: Call) -> Answer:
    replies = Replies(call, scope.model, context.clock)
    options = write_options(call, "CreateOptions")
    scope = _writing(scope, options)
    obj = read_object(call, scope.model, options.strictness)
    return replies.object(await create(context, scope, obj, options.given), 201)


async def put(context: Context, scope: Scope, call: Call) -> Answer:
    replies = Replies(call, scope.model, context.clock)
    options = write_options(call, "UpdateOptions")
    scope = _writing(scope, options)
    change = change_by_put(Wish(scope.model, scope, call, options, context.writer(scope)))
    may_create = scope.model.create_on_update and not scope.subresource
    obj, created = await update(context, scope, change, options.given, may_create=may_create)
    return replies.object(obj, 201 if created else 200)


async def patch(context: Context, scope: Scope, call: Call) -> Answer:
    kind = patch_type(call, strategic=scope.model.strategic)
    replies = Replies(call, scope.model, context.clock)
    applies = kind == APPLY_PATCH
    options = write_options(call, "PatchOptions", apply=applies)
    scope = _writing(scope, options)
    change = change_by_patch(Wish(scope.model, scope, call, options, context.writer(scope)), kind)
    given = {**options.given, "kind": "UpdateOptions"}
    obj, created = await update(context, scope, change, given, may_create=applies and not scope.subresource)
    return replies.object(obj, 201 if created else 200)


class Wish(NamedTuple):
    """A request to change an object, in the words of *model*: that of the object, or of a subresource."""

    model: Model
    scope: Scope
    call: Call
    options: WriteOptions
    writer: Writer


def change_by_put(wish: Wish) -> Change:
    """The object in the body takes the place of the one that is there."""
    model, scope = wish.model, wish.scope
    sent = _named(in_namespace(read_object(wish.call, model, wish.options.strictness), scope), scope)
    sent = unique_owners(sent, scope.warnings)

    def change(live: JsonObject | None) -> JsonObject:
        check_uid(scope, metadata_of(sent).get("uid"), live or {})
        return track_update(live, sent, wish.writer, model.shape)

    return change


def change_by_patch(wish: Wish, kind: str) -> Change:
    """*kind* is the patch's media type."""
    if kind == APPLY_PATCH:
        return apply_change(wish.call, wish.model, wish.scope.name, wish.options, wish.writer)
    return patch_change(wish.call, wish.model, kind, wish.options, wish.writer)


async def remove(context: Context, scope: Scope, call: Call) -> Answer:
    replies = Replies(call, scope.model, context.clock)
    given = _delete_body(call)
    options, dry_run = delete_options(given)
    scope = msgspec.structs.replace(scope, dry_run=dry_run)
    deleted = await delete(context, scope, options, _for_admission(given))
    status = 202 if not deleted.gone and options.orphan_dependents is False else 200
    if deleted.gone and not scope.model.answers_deleted:
        return replies.as_is(encode(_gone(scope, deleted.obj)), status)
    return replies.object(deleted.obj, status)


async def remove_collection(context: Context, scope: Scope, call: Call) -> Answer:
    replies = Replies(call, scope.model, context.clock, "list")
    listing = list_options(call)
    given = _delete_body(call)
    options, dry_run = delete_options(given)
    scope = msgspec.structs.replace(scope, dry_run=dry_run)
    found = page(context.store, scope.model, scope.namespace, listing)
    for entry in found.entries:
        one = msgspec.structs.replace(scope, name=entry.key.name, namespace=entry.key.namespace)
        if context.store.head(one.key()) is not None:
            await delete(context, one, options, _for_admission(given))
    return await replies.page(found)


def _writing(scope: Scope, options: WriteOptions) -> Scope:
    return msgspec.structs.replace(scope, dry_run=options.dry_run, manager=options.manager)


def _named(obj: JsonObject, scope: Scope) -> JsonObject:
    """*obj* under the name in the path; refuses one with another name."""
    name = metadata_of(obj).get("name")
    if not name:
        why = f"the name of the object ({scope.name} based on URL) was undeterminable: name must be provided"
        raise statuses.bad_request(why)
    if name != scope.name:
        why = f"the name of the object ({name}) does not match the name on the URL ({scope.name})"
        raise statuses.bad_request(why)
    return obj


def _delete_body(call: Call) -> JsonObject:
    return read_delete_options(call) if call.body else delete_parameters(call)


def _for_admission(given: JsonObject) -> JsonObject:
    return {**given, "kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1"}


def _gone(scope: Scope, obj: JsonObject) -> JsonObject:
    resource = scope.resource
    uid = metadata_of(obj).get("uid")
    return statuses.success(name=scope.name, group=resource.kind.group, kind=resource.plural, uid=uid)
