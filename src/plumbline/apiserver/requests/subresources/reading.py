"""Bodies of subresources whose kind is not that of the resource."""

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Call
from plumbline.apiserver.models.unknown import unknown_fields
from plumbline.apiserver.requests.bodies import raw_object
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape
from plumbline.kube.schema.shape import FREE
from plumbline.kube.schema.typed import typed_form


def read_body(call: Call, kind: GroupVersionKind, strictness: str, *, also: tuple[str, ...] = ()) -> JsonObject:
    """The body as *kind*; it may leave out what it is, or say another apiVersion that is in *also*."""
    given = raw_object(call)
    found = GroupVersionKind.of(given)
    shown = f"{found.kind} in version {quoted(found.version)} cannot be handled as a {kind.kind}"
    if found.kind not in ("", kind.kind):
        raise statuses.bad_request(
            f"{shown}: converting ({found.version}.{found.kind}) to ({kind.kind}): unknown conversion"
        )
    if found.api_version not in ("", kind.api_version, *also):
        registered = f"no kind {quoted(found.kind)} is registered for version {quoted(found.api_version)}"
        raise statuses.bad_request(f'{shown}: {registered} in scheme "pkg/runtime/scheme.go:111"')
    obj = {**given, "kind": kind.kind, "apiVersion": kind.api_version}
    shape = builtin_shape(kind) or FREE
    if strictness != "Ignore":
        unknown = unknown_fields(obj, shape)
        if unknown and strictness == "Strict":
            raise statuses.bad_request(f"{shown}: strict decoding error: {', '.join(unknown)}")
        call.warnings.extend(unknown)
    metadata = obj.get("metadata")
    return typed_form({**obj, "metadata": metadata if isinstance(metadata, dict) else {}}, shape)
