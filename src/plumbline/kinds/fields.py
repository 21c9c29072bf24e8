"""What typed parts of a kind are made of: one base Struct, and the marks that a CRD can carry beyond a type.

A string below a field is its documentation; `kinds.schema` puts it into the CRD, so `kubectl explain` shows it.
"""

from typing import Annotated, Any, ClassVar, Final, Protocol, Self, TypeAlias, dataclass_transform

import msgspec
from msgspec import Meta, StructMeta

from plumbline.base.json import Json, JsonObject


class _FieldsMeta(StructMeta):
    """Says once what msgspec wants to hear on every class: it does not inherit kw_only."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> "_FieldsMeta":
        settings: dict[str, Any] = {"frozen": True, "kw_only": True, "rename": "camel", "omit_defaults": True}
        return super().__new__(mcs, name, bases, namespace, **(settings | config))


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Fields(msgspec.Struct, metaclass=_FieldsMeta, frozen=True):
    """A typed part of an object: frozen, by keyword, camelCase in JSON, without what is at its default.

    Unknown keys do not fail here: `kinds.read` keeps and reports them.
    """


class Scalar(Protocol):
    """A value with a type of its own that travels as plain JSON."""

    openapi: ClassVar[JsonObject]

    @classmethod
    def read(cls, raw: Json) -> Self:
        """The value that *raw* stands for, or ValueError saying what was expected."""

    def write(self) -> Json: ...


Int32: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1, extra_json_schema={"format": "int32"})]
Int64: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1, extra_json_schema={"format": "int64"})]
IntOrString: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)] | str
FreeObject: TypeAlias = dict[str, Any]
"""An object with keys that nobody declares."""

DEFAULTED: Final = Meta(extra={"defaulted": True})
"""The API server writes the field's default into the object. Without it a default is only how an absence is read."""

DEMANDED: Final = Meta(extra={"demanded": True})
"""The API server refuses an object without the field. We read one all the same: it may come from elsewhere, or be older."""

NULLABLE: Final = Meta(extra_json_schema={"nullable": True})
"""An explicit null is kept apart from an absent field."""

EMBEDDED: Final = Meta(extra_json_schema={"x-kubernetes-embedded-resource": True})
"""A whole Kubernetes object inside another."""

DISTINCT: Final = Meta(extra_json_schema={"x-kubernetes-list-type": "set"})
"""A list of distinct scalars that several field managers may fill together."""

WHOLE: Final = Meta(extra_json_schema={"x-kubernetes-list-type": "atomic"})
"""A list with one owner, replaced as a whole. What an unmarked list is anyway; said aloud."""


def keyed_by(*keys: str) -> Meta:
    """A list of objects told apart by *keys*, so that several field managers may own its items."""
    return Meta(extra_json_schema={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)})


def ruled(*rules: tuple[str, str]) -> Meta:
    """CEL rules about this field, each with the message that a person sees when it fails."""
    return Meta(extra_json_schema={"x-kubernetes-validations": [{"rule": r, "message": m} for r, m in rules]})


def shaped(pattern: str) -> Meta:
    """A pattern that the API server holds people to. Not checked again here: Python's own matcher can be made to hang."""
    return Meta(extra_json_schema={"pattern": pattern})
