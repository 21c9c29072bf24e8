"""A request as webhooks see it: what is done to which object, in which version, and by whom."""

from typing import Final

import msgspec

from plumbline.apiserver.models.model import Model
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.objects.scope import Scope
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind, GroupVersionResource

_OPTIONS: Final = {
    Operation.CREATE: ("CreateOptions", ("dryRun", "fieldManager", "fieldValidation")),
    Operation.UPDATE: ("UpdateOptions", ("dryRun", "fieldManager", "fieldValidation")),
    Operation.DELETE: (
        "DeleteOptions",
        ("gracePeriodSeconds", "preconditions", "orphanDependents", "propagationPolicy", "dryRun"),
    ),
}


class Subject(msgspec.Struct, frozen=True):
    scope: Scope
    operation: Operation
    kind: GroupVersionKind
    resource: GroupVersionResource
    namespace: str
    name: str
    obj: JsonObject | None
    old: JsonObject | None
    options: JsonObject | None

    @property
    def subresource(self) -> str:
        return self.scope.subresource

    def with_object(self, obj: JsonObject) -> "Subject":
        return msgspec.structs.replace(self, obj=obj)


def subject_of(attributes: Attributes) -> Subject:
    scope, operation = attributes.scope, attributes.operation
    name = scope.name or str(metadata_of(attributes.obj or {}).get("name") or "")
    is_namespace = scope.resource.plural == "namespaces" and not scope.resource.kind.group
    return Subject(
        scope,
        operation,
        kind_of(scope.model, scope.subresource),
        scope.resource.name,
        name if is_namespace else scope.namespace,
        name,
        attributes.obj,
        attributes.old,
        _options(operation, _deleting(attributes) if is_namespace else attributes.options),
    )


def kind_of(model: Model, subresource: str) -> GroupVersionKind:
    """What the body of a request for it is."""
    found = model.resource.subresources.get(subresource)
    return found.kind if found else model.resource.kind


def _deleting(attributes: Attributes) -> JsonObject:
    """A namespace takes everything in it along, so that no other of its name may be meant."""
    options, uid = attributes.options, metadata_of(attributes.old or {}).get("uid")
    if attributes.operation is not Operation.DELETE or uid is None:
        return options
    return {**options, "preconditions": {"uid": uid, **(options.get("preconditions") or {})}}


def _options(operation: Operation, given: JsonObject) -> Json:
    if operation not in _OPTIONS:
        return None
    kind, fields = _OPTIONS[operation]
    kept = {field: given[field] for field in fields if given.get(field) not in (None, [], "")}
    return {"kind": kind, "apiVersion": "meta.k8s.io/v1", **kept}
