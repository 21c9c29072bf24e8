"""Binding: a pod is given to a node, once."""

from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call, answer_object
from plumbline.apiserver.fielderrors import FieldError, not_supported, required
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.metadata import in_namespace, metadata_of, with_metadata, without_system_fields
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.requests.bodies import read_kind
from plumbline.apiserver.requests.options import write_options
from plumbline.apiserver.requests.routes import Route
from plumbline.apiserver.requests.subresources.podstatus import with_condition
from plumbline.apiserver.requests.subresources.tracking import tracked
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.encoding import under_revision
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.clock import rfc3339
from plumbline.base.errors import Conflict, RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind

KIND: Final = GroupVersionKind("", "v1", "Binding")
_PODS: Final = Collection("", "pods")
_BOUND: Final = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


async def serve_binding(context: Context, scope: Scope, call: Call, _: Route) -> Answer:
    """Both `pods/NAME/binding` and `bindings`, whose bodies name the pod."""
    options = write_options(call, "CreateOptions")
    scope = msgspec.structs.replace(scope, dry_run=options.dry_run, manager=options.manager)
    binding = in_namespace(_held(read_kind(call, KIND, options.strictness)), scope)
    if not scope.subresource:
        binding = without_system_fields(binding)
    binding = tracked(binding, KIND, context, scope)
    attributes = Attributes(scope, Operation.CREATE, binding, options=options.given)
    binding = await context.admission.mutated(attributes)
    name = _checked_name(scope, binding)
    _check(binding)
    await context.admission.check(msgspec.structs.replace(attributes, obj=binding))
    await _assign(context, scope, name, binding)
    return answer_object(_BOUND, 201)


def _held(binding: JsonObject) -> JsonObject:
    """With what is always there."""
    return {"metadata": {}, "target": {}, **binding}


def _checked_name(scope: Scope, binding: JsonObject) -> str:
    name = str(metadata_of(binding).get("name") or "")
    if scope.name and name != scope.name:
        raise statuses.bad_request("name in URL does not match name in Binding object")
    return name


def _check(binding: JsonObject) -> None:
    """Faults are told without a reason: nobody makes a refusal of them on the real server either."""
    target = binding.get("target") or {}
    errors: list[FieldError] = []
    if target.get("kind") not in (None, "", "Node"):
        errors.append(not_supported("target.kind", target["kind"], ("Node", "<empty>")))
    if not target.get("name"):
        errors.append(required("target.name"))
    if errors:
        raise statuses.plain_failure(500, statuses.aggregated(map(str, errors)))


async def _assign(context: Context, scope: Scope, name: str, binding: JsonObject) -> None:
    """Past the checks of an update: binding is the one way to set what no update may."""
    if not name:
        raise statuses.bad_request("Name parameter required.")
    key = Key(_PODS, scope.namespace, name)
    while True:
        entry = context.store.head(key)
        if entry is None:
            raise statuses.not_found("", "pods", name)
        bound = _bound(entry, binding, rfc3339(context.clock.now()))
        if scope.dry_run:
            return
        try:
            await context.store.put(key, entry, under_revision(bound))
        except Conflict:
            continue
        return


def _bound(entry: Entry, binding: JsonObject, now: str) -> JsonObject:
    pod = entry.object()
    _check_preconditions(entry, metadata_of(binding), metadata_of(pod))
    name, spec = entry.key.name, pod.get("spec") or {}
    if metadata_of(pod).get("deletionTimestamp"):
        raise _taken(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise _taken(name, f"pod {name} is already assigned to node {quoted(spec['nodeName'])}")
    if spec.get("schedulingGates"):
        raise _taken(name, f"pod {name} has non-empty .spec.schedulingGates")
    given = metadata_of(binding)
    pod = with_metadata(
        pod,
        annotations=_merged(metadata_of(pod).get("annotations"), given.get("annotations")),
        labels=_merged(metadata_of(pod).get("labels"), given.get("labels")),
    )
    status = {field: value for field, value in (pod.get("status") or {}).items() if field != "nominatedNodeName"}
    scheduled = {"type": "PodScheduled", "status": "True"}
    spec = {**spec, "nodeName": (binding.get("target") or {}).get("name")}
    return {**pod, "spec": spec, "status": with_condition(status, scheduled, now)}


def _check_preconditions(entry: Entry, given: JsonObject, there: JsonObject) -> None:
    for field, shown in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        wanted = given.get(field)
        if wanted and wanted != there.get(field):
            why = (
                f"StorageError: invalid object, Code: 4, Key: /registry/pods/{entry.key.path}, ResourceVersion: 0, "
                f"AdditionalErrorMsg: Precondition failed: {shown} in precondition: {wanted}, {shown} in object meta: "
                f"{there.get(field)}"
            )
            raise statuses.conflict("", "pods", entry.key.name, why)


def _taken(name: str, why: str) -> RequestRefused:
    return statuses.conflict("", "pods/binding", name, why)


def _merged(there: Mapping[str, str] | None, given: Mapping[str, str] | None) -> Mapping[str, str] | None:
    return {**(there or {}), **(given or {})} or None
