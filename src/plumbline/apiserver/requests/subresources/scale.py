"""The scale subresource: one number of an object, seen as an object of its own."""

from typing import Final

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.models.builtin import BuiltinModel
from plumbline.apiserver.models.scaling import Scaling
from plumbline.apiserver.objects.admission import Admission, Attributes
from plumbline.apiserver.objects.context import Context, missing
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.objects.updating import Change, update
from plumbline.apiserver.requests.options import write_options
from plumbline.apiserver.requests.patching import APPLY_PATCH, patch_type
from plumbline.apiserver.requests.replies import Replies
from plumbline.apiserver.requests.routes import Route
from plumbline.apiserver.requests.subresources.scalemanagers import ScaleManagers
from plumbline.apiserver.requests.writing import Wish, change_by_patch, change_by_put
from plumbline.apiserver.resources.resource import Resource
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

KIND: Final = GroupVersionKind("autoscaling", "v1", "Scale")
_MODEL: Final = BuiltinModel(Resource(KIND, "scales", singular="scale", namespaced=True, verbs=()))
_METADATA: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


async def serve_scale(context: Context, scope: Scope, call: Call, route: Route) -> Answer:
    scaling = scope.model.scaling
    if scaling is None:
        raise statuses.not_served()
    try:
        return await _served(context, scope, call, route, scaling)
    except SchemaViolation as bad:
        raise statuses.internal(bad.what) from None


async def _served(context: Context, scope: Scope, call: Call, route: Route, scaling: Scaling) -> Answer:
    if route.verb == "get":
        entry = context.store.get(scope.key())
        if entry is None:
            raise missing(scope)
        live = await context.live(scope, entry)
        return Replies(call, _MODEL, context.clock).object(scale_of(live, scaling))
    kind = patch_type(call, strategic=True) if route.verb == "patch" else ""
    replies = Replies(call, _MODEL, context.clock)
    options = write_options(call, "PatchOptions" if kind else "UpdateOptions", apply=kind == APPLY_PATCH)
    scope = msgspec.structs.replace(scope, dry_run=options.dry_run, manager=options.manager)
    writer = context.writer(scope)._replace(api_version=KIND.api_version)
    wish = Wish(_MODEL, scope, call, options, writer)
    change = _of_parent(change_by_patch(wish, kind) if kind else change_by_put(wish), scope, scaling)
    context = msgspec.structs.replace(context, admission=_ScaleAdmission(context.admission, scaling))
    written, _ = await update(context, scope, change, {**options.given, "kind": "UpdateOptions"})
    return replies.object(scale_of(written, scaling))


def _of_parent(change: Change, scope: Scope, scaling: Scaling) -> Change:
    """What *change* makes of a scale, made of the object that has it."""

    def changed(live: JsonObject | None) -> JsonObject:
        if live is None:
            raise missing(scope)
        managers = ScaleManagers(live, scaling.replicas_path, KIND.api_version)
        scale = with_metadata(scale_of(live, scaling), managedFields=managers.of_scale() or None)
        new = change(scale)
        given = metadata_of(new)
        parent = scaling.with_replicas(live, _replicas(scope, new))
        return with_metadata(
            parent,
            uid=given.get("uid") or metadata_of(live)["uid"],
            resourceVersion=given.get("resourceVersion"),
            managedFields=managers.of_parent(given.get("managedFields") or ()) or None,
        )

    return changed


def _replicas(scope: Scope, scale: JsonObject) -> int:
    replicas = int((scale.get("spec") or {}).get("replicas") or 0)
    if replicas < 0:
        wrong = invalid("spec.replicas", replicas, "must be greater than or equal to 0")
        raise statuses.invalid(KIND.group_kind, scope.name, [wrong])
    return replicas


def scale_of(obj: JsonObject, scaling: Scaling) -> JsonObject:
    metadata = metadata_of(obj)
    shown = {field: metadata[field] for field in _METADATA if metadata.get(field)}
    return {"kind": KIND.kind, "apiVersion": KIND.api_version, "metadata": shown, **scaling.scale(obj)}


class _ScaleAdmission:
    """Shows scales to those who are asked, not the objects that have them."""

    def __init__(self, admission: Admission, scaling: Scaling) -> None:
        self._admission = admission
        self._scaling = scaling

    async def mutated(self, attributes: Attributes) -> JsonObject:
        shown = self._shown(attributes)
        scale = await self._admission.mutated(shown)
        parent = attributes.obj or {}
        if scale == shown.obj:
            return parent
        return self._scaling.with_replicas(parent, _replicas(attributes.scope, scale))

    async def check(self, attributes: Attributes) -> None:
        await self._admission.check(self._shown(attributes))

    def _shown(self, attributes: Attributes) -> Attributes:
        old = attributes.old
        return msgspec.structs.replace(
            attributes,
            obj=scale_of(attributes.obj or {}, self._scaling),
            old=scale_of(old, self._scaling) if old is not None else None,
        )
