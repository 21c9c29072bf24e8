"""The one interface behind which built-in kinds and custom ones look alike."""

from collections.abc import Sequence
from typing import Protocol

from plumbline.apiserver.decoding.types import Structure
from plumbline.apiserver.fielderrors import FieldError
from plumbline.apiserver.models.scaling import Scaling
from plumbline.apiserver.openapi import Published
from plumbline.apiserver.resources.resource import Resource
from plumbline.apiserver.storage.entries import Entry
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.tables import Printer
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import Shape
from plumbline.kube.selectors.fields import SelectableFields


class Model(Protocol):
    """Of one resource in one version. All methods are pure; objects that go in are never changed."""

    @property
    def resource(self) -> Resource: ...

    @property
    def shape(self) -> Shape: ...

    @property
    def structure(self) -> Structure | None:
        """The type that bodies are decoded into; None for custom kinds, which are documents."""

    @property
    def create_on_update(self) -> bool:
        """A PUT to a name that is not there creates it."""

    @property
    def unconditional_update(self) -> bool:
        """A PUT needs no resourceVersion."""

    @property
    def orphans_by_default(self) -> bool:
        """Deleting leaves dependents alone unless asked otherwise."""

    @property
    def graceful(self) -> bool:
        """Deleting first sets a time by which somebody else finishes it."""

    @property
    def answers_deleted(self) -> bool:
        """DELETE answers the object rather than a Status."""

    @property
    def remote(self) -> bool:
        """Another process makes other versions of its objects: then `converted` is asked, not `stored` and `served`."""

    async def converted(self, objects: Sequence[JsonObject], api_version: str) -> list[JsonObject]: ...

    @property
    def strategic(self) -> bool:
        """Strategic merge patches apply to it."""

    @property
    def printed(self) -> GroupVersionKind | Printer:
        """What prints its objects as rows of a table."""

    @property
    def scaling(self) -> Scaling | None:
        """None where it has no scale."""

    @property
    def published(self) -> Published:
        """What OpenAPI shows of it; the same object for as long as it is the same model."""

    @property
    def selectable(self) -> SelectableFields: ...

    def read(self, obj: JsonObject) -> JsonObject:
        """As its type holds it, with defaults; what the type does not know is gone."""

    def read_strictly(self, obj: JsonObject) -> tuple[JsonObject, Sequence[str]]:
        """The same, and what strict decoding complains about; SchemaViolation where it cannot be read at all."""

    @property
    def deprecation(self) -> str:
        """What everybody is warned of who uses it, or nothing."""

    def prepare_create(self, obj: JsonObject, writing: Writing) -> JsonObject: ...

    def prepare_update(self, new: JsonObject, old: JsonObject, subresource: str, writing: Writing) -> JsonObject: ...

    def create_errors(self, obj: JsonObject) -> Sequence[FieldError]: ...

    def update_errors(self, new: JsonObject, old: JsonObject, subresource: str) -> Sequence[FieldError]: ...

    def create_warnings(self, obj: JsonObject) -> Sequence[str]: ...

    def update_warnings(self, new: JsonObject, old: JsonObject, subresource: str) -> Sequence[str]: ...

    def grace_s(self, obj: JsonObject, asked_s: int | None) -> int | None:
        """How long its deletion may take; None where it goes at once."""

    def begin_deletion(self, obj: JsonObject, writing: Writing) -> JsonObject | None:
        """What the first request to delete it makes of it; None where that request may also be the last."""

    def held(self, obj: JsonObject) -> bool:
        """Whether something besides finalizers keeps it although it is being deleted."""

    def served_bytes(self, entry: Entry) -> bytes:
        """A stored object as this version shows it."""

    def stored(self, obj: JsonObject) -> JsonObject:
        """In the version in which it is stored."""

    def served(self, obj: JsonObject) -> JsonObject:
        """From the stored version to this one."""
