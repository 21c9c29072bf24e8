"""What an expression may refer to: variables and the fields of their types."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from plumbline.apiserver.cel.functions import Registry
from plumbline.apiserver.cel.library import kubernetes_functions
from plumbline.apiserver.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Type,
    list_of,
    map_of,
    type_of,
)


class Field(NamedTuple):
    type: Type
    property: str
    """Its name in the object, which may be none that the language allows."""


@dataclass(frozen=True)
class Declarations:
    variables: Mapping[str, Type]
    structs: Mapping[str, Mapping[str, Field]] = field(default_factory=dict)
    """Fields by the name of their type."""
    functions: Registry = field(default_factory=kubernetes_functions)


TYPE_NAMES: Final[Mapping[str, Type]] = {
    "bool": BOOL, "int": INT, "uint": UINT, "double": DOUBLE, "string": STRING, "bytes": BYTES, "null_type": NULL,
    "google.protobuf.Timestamp": TIMESTAMP, "google.protobuf.Duration": DURATION, "type": TYPE, "dyn": DYN,
    "list": list_of(DYN), "map": map_of(DYN, DYN), "net.IP": Type("opaque", "net.IP"),
    "net.CIDR": Type("opaque", "net.CIDR"), "optional_type": Type("opaque", "optional_type", (DYN,)),
}  # fmt: skip
"""Types are values too: `type(self.x) == int`."""


def type_value(name: str) -> Type | None:
    """The type of the value that *name* stands for, if it names a type."""
    named = TYPE_NAMES.get(name)
    return None if named is None else type_of(named)
