"""The kinds that CRDs define."""

from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.crds.conversion import renamed
from plumbline.apiserver.crds.definition import Definition, Served
from plumbline.apiserver.crds.warnings import finalizer_warnings
from plumbline.apiserver.fielderrors import FieldError
from plumbline.apiserver.models.scaling import Scaling
from plumbline.apiserver.openapi import Published
from plumbline.apiserver.resources.resource import Resource
from plumbline.apiserver.storage.encoding import encoded, prefix_of
from plumbline.apiserver.storage.entries import Entry
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.tables import Printer, custom_columns
from plumbline.apiserver.validation.metadata import object_meta_errors, object_meta_update_errors
from plumbline.apiserver.validation.names import subdomain_name
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import Shape
from plumbline.kube.schema.typed import typed_form
from plumbline.kube.selectors.fields import SelectableFields

Convert = Callable[[Definition, str, Sequence[JsonObject]], Awaitable[list[JsonObject]]]
"""Objects of a definition, in any of its versions, in the one that is named; may ask a webhook."""

_UNCOUNTED: Final = frozenset({"apiVersion", "kind", "metadata"})
"""A change of nothing but these is no new generation."""


class CustomModel:
    """One version of one CRD. *since* is the revision from which on all objects were written under this schema."""

    create_on_update = False
    unconditional_update = False
    orphans_by_default = False
    answers_deleted = False
    graceful = False
    strategic = False
    structure = None

    def __init__(self, resource: Resource, definition: Definition, since: int, convert: Convert) -> None:
        self.resource = resource
        self._definition = definition
        self._served: Served = definition.version(resource.kind.version)
        self._since = since
        self._convert = convert

    @property
    def shape(self) -> Shape:
        return self._served.shape

    @property
    def deprecation(self) -> str:
        declared = self._served.declared
        if not declared.get("deprecated"):
            return ""
        kind = self.resource.kind
        return str(declared.get("deprecationWarning") or f"{kind.api_version} {kind.kind} is deprecated")

    @cached_property
    def printed(self) -> GroupVersionKind | Printer:
        return custom_columns(self._served.declared)

    @property
    def scaling(self) -> Scaling | None:
        return self._served.scale

    @cached_property
    def published(self) -> Published:
        return Published(self.resource, self._served.schema, self._served.selectable_paths)

    @property
    def selectable(self) -> SelectableFields:
        return self._served.selectable

    @property
    def remote(self) -> bool:
        """Other versions of its objects are made by a webhook."""
        return self._definition.conversion.get("strategy") == "Webhook"

    async def converted(self, objects: Sequence[JsonObject], api_version: str) -> list[JsonObject]:
        return await self._convert(self._definition, api_version, objects)

    def read(self, obj: JsonObject) -> JsonObject:
        try:
            return self.read_strictly(obj)[0]
        except SchemaViolation as bad:
            raise statuses.bad_request(bad.what) from None

    def read_strictly(self, obj: JsonObject) -> tuple[JsonObject, Sequence[str]]:
        pruned = self._served.prune(typed_form(obj, self.shape))
        return self._served.default(pruned.obj), [f'unknown field "{path}"' for path in pruned.unknown]

    def prepare_create(self, obj: JsonObject, _: Writing) -> JsonObject:
        metadata = {**(obj.get("metadata") or {}), "generation": 1}
        kept = {name: value for name, value in obj.items() if name != "status" or not self._served.has_status}
        return {**kept, "metadata": metadata}

    def prepare_update(self, new: JsonObject, old: JsonObject, subresource: str, _: Writing) -> JsonObject:
        if not self._served.has_status:
            return _counted(new, old, _UNCOUNTED)
        if subresource == "status":
            return _with_status(old, new) | {"metadata": _kept_metadata(new, old)}
        return _counted(_with_status(new, old), old, _UNCOUNTED | {"status"})

    def create_errors(self, obj: JsonObject) -> Sequence[FieldError]:
        namespaced = self.resource.namespaced
        before = object_meta_errors(obj.get("metadata"), namespaced=namespaced, name_faults=subdomain_name)
        return self._served.validate(obj, before=before).errors

    def update_errors(self, new: JsonObject, old: JsonObject, subresource: str) -> Sequence[FieldError]:
        before = object_meta_update_errors(new.get("metadata"), old.get("metadata"))
        return self._served.validate(new, old, subresource=subresource, before=before).errors

    def create_warnings(self, obj: JsonObject) -> Sequence[str]:
        return finalizer_warnings(obj)

    def update_warnings(self, new: JsonObject, old: JsonObject, _: str) -> Sequence[str]:
        return finalizer_warnings(new, old)

    def grace_s(self, _: JsonObject, __: int | None) -> int | None:
        return None

    def begin_deletion(self, _: JsonObject, __: Writing) -> JsonObject | None:
        return None

    def held(self, _: JsonObject) -> bool:
        return False

    def stored(self, obj: JsonObject) -> JsonObject:
        return renamed(obj, self.resource.storage_kind.api_version)

    def served(self, obj: JsonObject) -> JsonObject:
        return self._served.default(renamed(obj, self.resource.kind.api_version))

    @cached_property
    def _prefix(self) -> bytes:
        kind = self.resource.kind
        return prefix_of(kind.api_version, kind.kind)

    def served_bytes(self, entry: Entry) -> bytes:
        # What was under way while the definition changed is newer, and was written in the version that counted before.
        if entry.revision > self._since and entry.body.startswith(self._prefix):
            return entry.body
        return encoded(self.served(entry.object()))


def _with_status(obj: JsonObject, other: JsonObject) -> JsonObject:
    """*obj* with the status of *other*."""
    kept = {name: value for name, value in obj.items() if name != "status"}
    return {**kept, "status": other["status"]} if "status" in other else kept


def _kept_metadata(new: JsonObject, old: JsonObject) -> JsonObject:
    """A write of the status changes nothing in the metadata but who manages which fields."""
    metadata = {**(old.get("metadata") or {})}
    given = new.get("metadata") or {}
    metadata.pop("managedFields", None)
    if given.get("managedFields"):
        metadata["managedFields"] = given["managedFields"]
    return metadata


def _counted(new: JsonObject, old: JsonObject, uncounted: frozenset[str]) -> JsonObject:
    """*new* with the generation that its difference from *old* gives it."""
    fields = (new.keys() | old.keys()) - uncounted
    if all(new.get(name) == old.get(name) and (name in new) == (name in old) for name in fields):
        return new
    metadata = new.get("metadata") or {}
    return {**new, "metadata": {**metadata, "generation": int(metadata.get("generation") or 0) + 1}}
