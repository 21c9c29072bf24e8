"""CustomResourceDefinitions themselves: a built-in kind whose rules live with what is known about CRDs."""

from collections.abc import Iterable, Sequence

from plumbline.apiserver.crds.conditions import FINALIZER, terminating_status
from plumbline.apiserver.crds.definitions.validation import definition_errors, definition_status_errors
from plumbline.apiserver.crds.warnings import definition_warnings
from plumbline.apiserver.fielderrors import FieldError
from plumbline.apiserver.models.builtin import BuiltinModel
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.strategies.writing import Writing
from plumbline.base.json import JsonObject


def builtin_models() -> Iterable[Model]:
    for resource in builtin_resources():
        yield DefinitionModel(resource) if resource.kind.kind == "CustomResourceDefinition" else BuiltinModel(resource)


class DefinitionModel(BuiltinModel):
    def create_errors(self, obj: JsonObject) -> Sequence[FieldError]:
        return definition_errors(obj)

    def update_errors(self, new: JsonObject, old: JsonObject, subresource: str) -> Sequence[FieldError]:
        return definition_status_errors(new, old) if subresource == "status" else definition_errors(new, old)

    def create_warnings(self, obj: JsonObject) -> Sequence[str]:
        return definition_warnings(obj)

    def update_warnings(self, new: JsonObject, old: JsonObject, subresource: str) -> Sequence[str]:
        return () if subresource else definition_warnings(new, old)

    def begin_deletion(self, obj: JsonObject, writing: Writing) -> JsonObject | None:
        """Its objects go first: the controller does that, and then lets it go."""
        metadata = obj.get("metadata") or {}
        finalizers = metadata.get("finalizers") or []
        if FINALIZER not in finalizers:
            finalizers = [*finalizers, FINALIZER]
        status = terminating_status(obj, writing.now)
        return {**obj, "metadata": {**metadata, "finalizers": finalizers}, "status": status}
