"""The kinds that Kubernetes itself defines."""

from collections.abc import Sequence
from functools import cached_property

from plumbline.apiserver.decoding.types import Structure, body_type
from plumbline.apiserver.defaults import defaulted
from plumbline.apiserver.fielderrors import FieldError
from plumbline.apiserver.models import scaling
from plumbline.apiserver.models.scaling import Scaling
from plumbline.apiserver.openapi import Published
from plumbline.apiserver.resources.resource import Resource
from plumbline.apiserver.storage.encoding import encoded
from plumbline.apiserver.storage.entries import Entry
from plumbline.apiserver.strategies import Strategy, Writing, strategy_of
from plumbline.apiserver.tables import Printer
from plumbline.apiserver.validation import validated_create, validated_subresource_update, validated_update
from plumbline.apiserver.versions.conversion import converted
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import Shape, builtin_shape
from plumbline.kube.schema.shape import FREE
from plumbline.kube.schema.typed import typed_form
from plumbline.kube.selectors.fields import SelectableFields, selectable_fields


class BuiltinModel:
    strategic = True
    remote = False

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self._kind = resource.kind

    @cached_property
    def shape(self) -> Shape:
        return builtin_shape(self._kind) or FREE

    @cached_property
    def structure(self) -> Structure | None:
        return body_type(self._kind)

    @cached_property
    def _strategy(self) -> Strategy:
        return strategy_of(self._kind)

    @property
    def create_on_update(self) -> bool:
        return self._strategy.create_on_update

    @property
    def unconditional_update(self) -> bool:
        return self._strategy.unconditional_update

    @property
    def orphans_by_default(self) -> bool:
        return self._strategy.orphans_by_default

    @property
    def answers_deleted(self) -> bool:
        return self._strategy.answers_deleted

    @property
    def graceful(self) -> bool:
        return self._strategy.grace_s is not None

    @property
    def deprecation(self) -> str:
        return self._strategy.deprecation

    @property
    def printed(self) -> GroupVersionKind | Printer:
        return self._kind

    @property
    def scaling(self) -> Scaling | None:
        return scaling.BUILTIN if "scale" in self.resource.subresources else None

    @cached_property
    def published(self) -> Published:
        return Published(self.resource)

    @cached_property
    def selectable(self) -> SelectableFields:
        return selectable_fields(self._kind)

    def read(self, obj: JsonObject) -> JsonObject:
        held = self._strategy.read(defaulted(self._kind, typed_form(obj, self.shape)))
        metadata = obj.get("metadata")
        if isinstance(metadata, dict) and metadata.get("managedFields") == []:
            # The type does not hold an empty list, but this one is a request: forget who wrote what.
            return {**held, "metadata": {**held["metadata"], "managedFields": []}}
        return held

    def read_strictly(self, obj: JsonObject) -> tuple[JsonObject, Sequence[str]]:
        return self.read(obj), ()

    def prepare_create(self, obj: JsonObject, writing: Writing) -> JsonObject:
        return self._reread(self._strategy.prepare_create(obj, writing))

    def prepare_update(self, new: JsonObject, old: JsonObject, subresource: str, writing: Writing) -> JsonObject:
        strategy = self._strategy
        prepare = strategy.prepare_subresource.get(subresource, strategy.prepare_update)
        return self._reread(prepare(new, old, writing))

    def _reread(self, obj: JsonObject) -> JsonObject:
        """As it comes out of the real server's store, where it is read once more: with zeros and defaults in place."""
        return defaulted(self._kind, obj)

    def create_errors(self, obj: JsonObject) -> Sequence[FieldError]:
        return validated_create(self._kind, obj)

    def update_errors(self, new: JsonObject, old: JsonObject, subresource: str) -> Sequence[FieldError]:
        if subresource in self._strategy.prepare_subresource:
            return validated_subresource_update(self._kind, subresource, new, old)
        return validated_update(self._kind, new, old)

    def create_warnings(self, obj: JsonObject) -> Sequence[str]:
        return self._strategy.create_warnings(obj)

    def update_warnings(self, new: JsonObject, old: JsonObject, subresource: str) -> Sequence[str]:
        strategy = self._strategy
        if subresource not in strategy.prepare_subresource:
            return strategy.update_warnings(new, old)
        warnings = strategy.subresource_warnings.get(subresource)
        return warnings(new, old) if warnings else ()

    def grace_s(self, obj: JsonObject, asked_s: int | None) -> int | None:
        grace = self._strategy.grace_s
        return grace(obj, asked_s) if grace else None

    def begin_deletion(self, obj: JsonObject, writing: Writing) -> JsonObject | None:
        begin = self._strategy.begin_deletion
        return begin(obj, writing) if begin else None

    def held(self, obj: JsonObject) -> bool:
        held = self._strategy.held
        return held(obj) if held else False

    async def converted(self, objects: Sequence[JsonObject], api_version: str) -> list[JsonObject]:
        kind = self._kind if api_version == self._kind.api_version else self.resource.storage_kind
        return [converted(obj, kind) for obj in objects]

    def stored(self, obj: JsonObject) -> JsonObject:
        return converted(obj, self.resource.storage_kind)

    def served(self, obj: JsonObject) -> JsonObject:
        return converted(obj, self._kind)

    def served_bytes(self, entry: Entry) -> bytes:
        return encoded(self.served(entry.object()))
