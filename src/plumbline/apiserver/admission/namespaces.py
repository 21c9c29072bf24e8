"""Nothing is created in a namespace that is not there, or about to go; some namespaces never go."""

from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.admission.lookups import NAMESPACES, Lookups
from plumbline.apiserver.admission.plugin import collection_of, forbidden, object_of
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.validation.shapes import mapping
from plumbline.base.json import JsonObject

IMMORTAL: Final = frozenset({"default", "kube-public", "kube-system"})
_REVIEWS: Final = Collection("authorization.k8s.io", "localsubjectaccessreviews")


class NamespaceLifecycle:
    name = "NamespaceLifecycle"
    concerns = None

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def mutated(self, attributes: Attributes) -> JsonObject:
        scope = attributes.scope
        if scope.resource.namespaced and collection_of(attributes) != _REVIEWS:
            self._check_namespace(attributes)
        return object_of(attributes)

    async def check(self, attributes: Attributes) -> None:
        deletes = attributes.operation is Operation.DELETE and collection_of(attributes) == NAMESPACES
        if deletes and attributes.scope.name in IMMORTAL:
            raise forbidden(attributes, "this namespace may not be deleted")

    def _check_namespace(self, attributes: Attributes) -> None:
        name = attributes.scope.namespace
        namespace = self._lookups.get(NAMESPACES, "", name)
        if namespace is None:
            raise statuses.not_found("", "namespaces", name)
        going = mapping(namespace.get("status")).get("phase") == "Terminating"
        if not going or attributes.operation is not Operation.CREATE:
            return
        cause = {
            "reason": "NamespaceTerminating",
            "message": f"namespace {name} is being terminated",
            "field": "metadata.namespace",
        }
        why = f"unable to create new content in namespace {name} because it is being terminated"
        raise forbidden(attributes, why, cause)
