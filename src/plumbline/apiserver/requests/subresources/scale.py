"""The scale subresource: one number of an object, seen as an object of its own."""

from collections.abc import Callable
from typing import Final

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call, answer_object
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.models.scaling import Scaling
from plumbline.apiserver.objects.context import Context, missing
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.objects.updating import update
from plumbline.apiserver.requests.bodies import decode_json, raw_object
from plumbline.apiserver.requests.options import write_options
from plumbline.apiserver.requests.patching import APPLY_PATCH, applied, apply_config, patch_type, patched
from plumbline.apiserver.requests.routes import Route
from plumbline.base.json import JsonObject
from plumbline.kube.apply import track_update
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import Shape, builtin_shape
from plumbline.kube.schema.shape import FREE

KIND: Final = GroupVersionKind("autoscaling", "v1", "Scale")


async def serve_scale(context: Context, scope: Scope, call: Call, route: Route) -> Answer:
    scaling = scope.model.scaling
    if scaling is None:
        raise statuses.not_served()
    if route.verb == "get":
        entry = context.store.get(scope.key())
        if entry is None:
            raise missing(scope)
        return answer_object(_scale_of(await context.live(scope, entry), scaling))
    kind = patch_type(call, strategic=True) if route.verb == "patch" else ""
    options = write_options(call, "PatchOptions" if kind else "UpdateOptions", apply=kind == APPLY_PATCH)
    scope = msgspec.structs.replace(scope, dry_run=options.dry_run, manager=options.manager)
    # The server records no time for writes through scale.
    writer = context.writer(scope)._replace(at="")
    wanted = _wanted_scale(call, scope, kind)

    def change(live: JsonObject | None) -> JsonObject:
        if live is None:
            raise missing(scope)
        replicas = _checked(scope, wanted(_scale_of(live, scaling)))
        if kind == APPLY_PATCH:
            config = scaling.with_replicas(_bare(live), replicas)
            return scope.model.read(applied(live, config, writer, scope.model.shape, options))
        return track_update(live, scaling.with_replicas(live, replicas), writer, scope.model.shape)

    written, _ = await update(context, scope, change, options.given)
    return answer_object(_scale_of(written, scaling))


Want = Callable[[JsonObject], JsonObject]


def _wanted_scale(call: Call, scope: Scope, kind: str) -> Want:
    if not kind:
        sent = raw_object(call)
        return lambda _: sent
    if kind == APPLY_PATCH:
        config = apply_config(call, scope.name)
        return lambda _: config
    patch = decode_json(call.body)
    return lambda scale: patched(scale, patch, kind, _shape())


def _shape() -> Shape:
    return builtin_shape(KIND) or FREE


def _checked(scope: Scope, scale: JsonObject) -> int:
    spec = scale.get("spec")
    replicas = spec.get("replicas", 0) if isinstance(spec, dict) else 0
    if not isinstance(replicas, int) or isinstance(replicas, bool):
        raise statuses.bad_request('Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal')
    if replicas < 0:
        wrong = invalid("spec.replicas", replicas, "must be greater than or equal to 0")
        raise statuses.invalid(KIND.group_kind, scope.name, [wrong])
    return replicas


def _scale_of(obj: JsonObject, scaling: Scaling) -> JsonObject:
    metadata = metadata_of(obj)
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    shown = {field: metadata[field] for field in kept if metadata.get(field)}
    return {"kind": KIND.kind, "apiVersion": KIND.api_version, "metadata": shown, **scaling.scale(obj)}


def _bare(obj: JsonObject) -> JsonObject:
    metadata = metadata_of(obj)
    place = {field: metadata[field] for field in ("name", "namespace") if field in metadata}
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": place}
