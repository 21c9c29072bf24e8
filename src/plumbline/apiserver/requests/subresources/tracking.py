"""Who wrote which field, in objects that are sent but never stored: admission sees it in them as well."""

from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.scope import Scope
from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject
from plumbline.kube.apply import Writer, track_update
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape
from plumbline.kube.schema.shape import FREE


def tracked(obj: JsonObject, kind: GroupVersionKind, context: Context, scope: Scope) -> JsonObject:
    writer = Writer(scope.manager, kind.api_version, rfc3339(context.clock.now()), scope.subresource)
    return track_update(None, obj, writer, builtin_shape(kind) or FREE)
