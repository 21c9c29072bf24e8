"""One CRD, ready to serve: everything about its versions, each part compiled when it is first needed."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from plumbline.apiserver.crds.conforming import conforms
from plumbline.apiserver.crds.correlation import Correlated
from plumbline.apiserver.crds.defaulting import defaulted
from plumbline.apiserver.crds.definitions.reading import mapping, sequence, text
from plumbline.apiserver.crds.embedded import coerced, embedded_errors
from plumbline.apiserver.crds.listtypes import duplicate_errors
from plumbline.apiserver.crds.pruning import pruned, unknown_fields, without_nulls
from plumbline.apiserver.crds.resources import resources_of
from plumbline.apiserver.crds.scaling import ScalePaths, scale_errors
from plumbline.apiserver.crds.structural import Node, compiled_schema
from plumbline.apiserver.crds.validation import schema_errors
from plumbline.apiserver.fielderrors import (
    NOT_SUPPORTED,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    TYPE_INVALID,
    FieldError,
    invalid,
)
from plumbline.apiserver.resources.resource import Resource
from plumbline.base.errors import UnknownKind
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import Shape, crd_shape
from plumbline.kube.selectors.fields import SelectableFields, custom_fields

if TYPE_CHECKING:
    from plumbline.apiserver.crds.rules import Rules

_BLOCKING: Final = frozenset((NOT_SUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID))
_NOT_CHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


class Pruned(NamedTuple):
    obj: JsonObject
    unknown: tuple[str, ...]
    """Paths of what was dropped; strict decoding says `unknown field "spec.bogus"` of each."""


class Judged(NamedTuple):
    errors: list[FieldError]
    warnings: list[str]
    """Faults that are forgiven because they are not new."""


class Definition:
    """Made anew for every version of the CRD's own object; what it holds never changes."""

    def __init__(self, crd: JsonObject) -> None:
        self.crd = crd
        spec = mapping(crd.get("spec"))
        self.group = text(spec, "group")
        self.names = mapping(mapping(crd.get("status")).get("acceptedNames")) or mapping(spec.get("names"))
        self.conversion = mapping(spec.get("conversion"))
        self.preserves_unknown_fields = spec.get("preserveUnknownFields") is True
        self._versions = {text(each, "name"): each for each in map(mapping, sequence(spec.get("versions")))}
        self._served: dict[str, Served] = {}

    def version(self, name: str) -> "Served":
        """Also of versions that are not served but may be stored; raises `UnknownKind` for others."""
        served = self._served.get(name)
        if served is None:
            declared = self._versions.get(name)
            if declared is None:
                kind = text(self.names, "kind")
                raise UnknownKind(f"{kind} has no version {name}", why="its CRD does not list it")
            served = self._served[name] = Served(self, name, declared)
        return served

    @cached_property
    def storage_version(self) -> str:
        return next((name for name, each in self._versions.items() if each.get("storage") is True), "")

    @cached_property
    def resources(self) -> Sequence[Resource]:
        return resources_of(self.crd)


class Served:
    """One version. Objects that go in are never changed; what comes out shares what did not change."""

    def __init__(self, definition: Definition, name: str, declared: JsonObject) -> None:
        self.definition = definition
        self.name = name
        self.declared = declared

    @cached_property
    def kind(self) -> GroupVersionKind:
        return GroupVersionKind(self.definition.group, self.name, text(self.definition.names, "kind"))

    @property
    def schema(self) -> JsonObject | None:
        """As the CRD declares it, for OpenAPI."""
        found = mapping(self.declared.get("schema")).get("openAPIV3Schema")
        return found if isinstance(found, dict) else None

    @cached_property
    def root(self) -> Node:
        return compiled_schema(self.schema)

    @cached_property
    def rules(self) -> "Rules | None":
        """None where the schema has no rules; the expression language is not even loaded then."""
        if not self.root.traits.rules:
            return None
        from plumbline.apiserver.crds.rules import Rules  # noqa: PLC0415 - see above

        return Rules.of_root(self.root)

    @cached_property
    def shape(self) -> Shape:
        return crd_shape(self.definition.crd, self.name)

    @property
    def columns(self) -> list[JsonObject]:
        """The additional printer columns, as declared."""
        return [mapping(each) for each in sequence(self.declared.get("additionalPrinterColumns"))]

    @cached_property
    def scale(self) -> ScalePaths | None:
        return ScalePaths.of(self.declared)

    @property
    def has_status(self) -> bool:
        return mapping(self.declared.get("subresources")).get("status") is not None

    @cached_property
    def selectable_paths(self) -> tuple[str, ...]:
        return tuple(text(mapping(each), "jsonPath") for each in sequence(self.declared.get("selectableFields")))

    @cached_property
    def selectable(self) -> SelectableFields:
        namespaced = mapping(self.definition.crd.get("spec")).get("scope") == "Namespaced"
        return custom_fields(self.selectable_paths, namespaced=namespaced)

    def prune(self, obj: JsonObject) -> Pruned:
        """*obj* as the schema knows it: unknown fields and unwanted nulls gone, embedded metadata in order.

        Raises `SchemaViolation` where embedded metadata cannot be read, which the API answers with 400.
        """
        unknown: list[str] = []
        kept = obj
        if not self.definition.preserves_unknown_fields:
            kept = pruned(obj, self.root)
            if kept is not obj:
                unknown += unknown_fields(obj, self.root)
            kept = without_nulls(kept, self.root)
        return Pruned(coerced(kept, self.root, unknown), tuple(unknown))

    def default(self, obj: JsonObject) -> JsonObject:
        return defaulted(obj, self.root)

    def validate(
        self,
        obj: JsonObject,
        old: JsonObject | None = None,
        *,
        subresource: str = "",
        before: Sequence[FieldError] = (),
        interrupted: Callable[[], bool] | None = None,
    ) -> Judged:
        """Errors of an object that is new, or was *old* before; those of its metadata come first, as *before*."""
        errors = list(before)
        correlated = None if old is None else Correlated(obj, old, self.root)
        if subresource == "status":
            errors += self._status_errors(obj, old or {}, correlated)
        else:
            errors += schema_errors(obj, self.root, correlated=correlated)
            errors += scale_errors(obj, self.scale)
            errors += embedded_errors(obj, self.root)
            if old is None or not duplicate_errors(old, self.root):
                errors += duplicate_errors(obj, self.root)
        warnings: list[str] = []
        if self.rules is not None:
            if any(error.reason in _BLOCKING for error in errors):
                errors.append(invalid("<nil>", None, _NOT_CHECKED))
            else:
                from plumbline.apiserver.crds.rule_checking import Watch, rule_errors  # noqa: PLC0415 - as above

                forgiven = old is not None and not (conforms(obj, self.root) and conforms(old, self.root))
                watch = Watch(warnings, interrupted, guarded=forgiven)
                errors += rule_errors(self.rules, obj, old, correlated=correlated, watch=watch)
        return Judged(errors, warnings)

    def _status_errors(self, obj: JsonObject, old: JsonObject, correlated: Correlated | None) -> list[FieldError]:
        errors: list[FieldError] = []
        status: Json = obj.get("status")
        node = self.root.properties.get("status")
        if node is not None and "status" in obj:
            inside = correlated.field("status") if correlated is not None else None
            errors += schema_errors(status, node, prefix="status", correlated=inside)
        errors += scale_errors(obj, self.scale, spec=False)
        if not duplicate_errors(old, self.root):
            errors += duplicate_errors(obj, self.root)
        return errors
