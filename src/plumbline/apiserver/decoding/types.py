"""The types that bodies are decoded into, as far as decoding looks at them.

They are Go's, and so are their names. A structure is put together from the table of protobuf messages when the first
body of its kind arrives.
"""

from collections.abc import Iterator
from functools import cache, cached_property
from typing import Final, NamedTuple

from plumbline.apiserver.decoding.names import Names, names_in
from plumbline.apiserver.protobuf.table import BODIES, Field
from plumbline.kube.names import GroupVersionKind


class Type:
    """`text` is how Go prints it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Text(Type):
    __slots__ = ()


class Flag(Type):
    __slots__ = ()


class Real(Type):
    __slots__ = ()


class Octets(Type):
    """Bytes, which are base64 in JSON."""

    __slots__ = ()


class Whole(Type):
    __slots__ = ("high", "low")

    def __init__(self, text: str, bits: int, *, signed: bool = True) -> None:
        super().__init__(text)
        self.low = -(2 ** (bits - 1)) if signed else 0
        self.high = 2 ** (bits - 1 if signed else bits) - 1


class Special(Type):
    """One that reads itself from JSON."""

    __slots__ = ("message",)

    def __init__(self, message: str) -> None:
        super().__init__(go_name(message))
        self.message = message


class Sequence(Type):
    __slots__ = ("item",)

    def __init__(self, text: str, item: Type) -> None:
        super().__init__(text)
        self.item = item


class Mapping(Type):
    __slots__ = ("value",)

    def __init__(self, text: str, value: Type) -> None:
        super().__init__(text)
        self.value = value


class Member(NamedTuple):
    """A field of a structure."""

    type: Type
    path: tuple[str, ...]
    """Its name in JSON, after those of the structures embedded in its owner that it stands in."""
    optional: bool
    """Go holds a pointer: null takes away what was there."""


class Structure(Type):
    __slots__ = ("__dict__", "kind", "message", "name")

    def __init__(self, message: str, *, kind: bool = False) -> None:
        super().__init__(go_name(message))
        self.message = message
        self.name = message.rpartition(".")[2]
        self.kind = kind

    @cached_property
    def members(self) -> dict[str, Member]:
        """By their names in JSON, in Go's order."""
        return dict(_members(self.message, kind=self.kind))


ANY: Final = Type("interface {}")
TEXT: Final = Text("string")
FLAG: Final = Flag("bool")
INT32: Final = Whole("int32", 32)
INT64: Final = Whole("int64", 64)
UINT8: Final = Whole("uint8", 8, signed=False)
FLOAT64: Final = Real("float64")
OCTETS: Final = Octets("[]uint8")
DOCUMENT: Final = Mapping("map[string]interface {}", ANY)

_SCALARS: Final[dict[str, Type]] = {
    "string": TEXT,
    "bool": FLAG,
    "int32": INT32,
    "int64": INT64,
    "double": FLOAT64,
    "bytes": OCTETS,
}
SPECIALS: Final = frozenset(
    {
        "api/resource.Quantity",
        "apiextensions/v1.JSON",
        "apiextensions/v1.JSONSchemaPropsOrArray",
        "apiextensions/v1.JSONSchemaPropsOrBool",
        "apiextensions/v1.JSONSchemaPropsOrStringArray",
        "meta/v1.FieldsV1",
        "meta/v1.MicroTime",
        "meta/v1.Time",
        "pkg/runtime.RawExtension",
        "util/intstr.IntOrString",
    }
)
_LISTS: Final = frozenset({"authentication/v1.ExtraValue", "authorization/v1.ExtraValue", "certificates/v1.ExtraValue"})
"""Lists that have to be messages in protobuf, which has no lists as values of maps."""


def body_type(kind: GroupVersionKind) -> Structure | None:
    """What a body of *kind* is decoded into; None where there is no such kind among the stable ones."""
    message = BODIES.kinds.get((kind.api_version, kind.kind))
    return None if message is None else structure(message)


@cache
def structure(message: str) -> Structure:
    return Structure(message, kind=message in BODIES.kinds.values())


def go_name(message: str) -> str:
    """`apps/v1.Deployment` as Go prints it: v1.Deployment."""
    return message.rpartition("/")[2]


def _members(message: str, *, kind: bool) -> Iterator[tuple[str, Member]]:
    if kind:
        for name in ("kind", "apiVersion"):
            yield name, Member(TEXT, ("TypeMeta", name), optional=False)
    for field in BODIES.fields(message):
        if field.name != "-":
            optional = field.shape != ""
            yield field.name, Member(_field_type(message, field), (field.name,), optional)
            continue
        for name, inner in _members(field.type, kind=False):
            yield name, inner._replace(path=(field.go_name, *inner.path))


def _field_type(message: str, field: Field) -> Type:
    known = names_in(message).get(field.name, Names())
    item = _item_type(field.type, known.item)
    if field.shape == "[]":
        return Sequence(known.whole or f"[]{item.text}", item)
    if field.shape == "{}":
        return Mapping(known.whole or f"map[string]{item.text}", item)
    return item


def _item_type(name: str, called: str) -> Type:
    scalar = _SCALARS.get(name)
    if scalar is not None:
        return _named(scalar, called) if called else scalar
    if name in SPECIALS:
        return special(name)
    return Sequence(go_name(name), TEXT) if name in _LISTS else structure(name)


@cache
def special(message: str) -> Special:
    return Special(message)


def _named(scalar: Type, called: str) -> Type:
    if isinstance(scalar, Whole):
        return Whole(called, scalar.high.bit_length() + 1)
    return type(scalar)(called)
