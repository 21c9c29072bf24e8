from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, field

from plumbline.kinds import fields
from plumbline.kinds.duration import Duration
from plumbline.kinds.fields import DEFAULTED, DEMANDED, Fields, FreeObject, Int32, Int64, IntOrString
from plumbline.kinds.schema import schema_of
from plumbline.kinds.timestamp import Time
from plumbline.kinds.values import converted


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Port(Fields):
    """One door."""

    number: Int32
    """Where it is."""

    name: str = ""


class Base(Fields):
    shared: str = ""
    """Said by the base."""


class Everything(Base):
    """One of each.

    With a second paragraph.
    """

    text: Annotated[str, Meta(min_length=1, max_length=63, pattern="^[a-z]+$")]
    """Some text."""
    flag: bool = False
    count: Annotated[int, Meta(ge=0, lt=10, multiple_of=2)] = 0
    ratio: Annotated[float, Meta(gt=0, le=1)] = 0.5
    wide: Int64 = 0
    narrow: Annotated[int, Meta(ge=1, le=2**31 - 1, extra_json_schema={"format": "int32"})] = 1
    colour: Colour = Colour.RED
    level: Level = Level.LOW
    mode: Literal["b", "a"] = "a"
    either: IntOrString = 0
    tuples: tuple[str, ...] = ()
    ports: Annotated[list[Port], Meta(max_length=5), fields.keyed_by("number")] = field(default_factory=list)
    labels: Annotated[dict[str, str], Meta(max_length=9)] = field(default_factory=dict)
    by_name: dict[str, Port] = field(default_factory=dict)
    free: FreeObject = field(default_factory=dict)
    anything: Any = None
    blob: bytes = b""
    every: Duration | None = None
    at: Time | None = None
    port: Port | None = None
    maybe: str | None
    renamed: str = field(name="xID", default="")


def test_every_type_has_its_schema():
    schema = schema_of(Everything)
    assert schema["type"] == "object"
    assert schema["description"] == "One of each.\n\nWith a second paragraph."
    assert schema["required"] == ["text", "maybe"]
    assert schema["properties"] == {
        "shared": {"type": "string", "description": "Said by the base."},
        "text": {
            "type": "string",
            "minLength": 1,
            "maxLength": 63,
            "pattern": "^[a-z]+$",
            "description": "Some text.",
        },
        "flag": {"type": "boolean"},
        "count": {"type": "integer", "minimum": 0, "maximum": 10, "exclusiveMaximum": True, "multipleOf": 2},
        "ratio": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1},
        "wide": {"type": "integer", "format": "int64"},
        "narrow": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 2**31 - 1},
        "colour": {"type": "string", "enum": ["blue", "red"]},
        "level": {"type": "integer", "enum": [1, 2]},
        "mode": {"type": "string", "enum": ["a", "b"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
        "tuples": {"type": "array", "items": {"type": "string"}},
        "ports": {
            "type": "array",
            "maxItems": 5,
            "items": _PORT,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["number"],
        },
        "labels": {"type": "object", "maxProperties": 9, "additionalProperties": {"type": "string"}},
        "byName": {"type": "object", "additionalProperties": _PORT},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "anything": {"x-kubernetes-preserve-unknown-fields": True},
        "blob": {"type": "string", "format": "byte"},
        "every": {"type": "string"},
        "at": {"type": "string", "format": "date-time"},
        "port": _PORT,
        "maybe": {"type": "string", "nullable": True},
        "xID": {"type": "string"},
    }


_PORT = {
    "type": "object",
    "description": "One door.",
    "properties": {
        "number": {"type": "integer", "format": "int32", "description": "Where it is."},
        "name": {"type": "string"},
    },
    "required": ["number"],
}


def test_a_default_is_stored_only_where_that_is_said():
    class Defaults(Fields):
        quiet: str = "read as this"
        loud: Annotated[str, DEFAULTED] = "stored as this"
        made: Annotated[dict[str, str], DEFAULTED] = field(default_factory=lambda: {"a": "b"})
        every: Annotated[Duration, DEFAULTED] = Duration.of_seconds(180)

    properties = schema_of(Defaults)["properties"]
    assert "default" not in properties["quiet"]
    assert properties["loud"]["default"] == "stored as this"
    assert properties["made"]["default"] == {"a": "b"}
    assert properties["every"]["default"] == "3m0s"


def test_marks_that_types_do_not_have():
    class Marked(Fields):
        names: Annotated[tuple[str, ...], fields.DISTINCT] = ()
        steps: Annotated[tuple[str, ...], fields.WHOLE] = ()
        inner: Annotated[FreeObject, fields.EMBEDDED] = field(default_factory=dict)
        empty: Annotated[str | None, fields.NULLABLE] = None
        size: Annotated[int, fields.ruled(("self == oldSelf", "Size cannot change"))] = 0

    properties = schema_of(Marked)["properties"]
    assert properties["names"]["x-kubernetes-list-type"] == "set"
    assert properties["steps"]["x-kubernetes-list-type"] == "atomic"
    assert properties["inner"]["x-kubernetes-embedded-resource"] is True
    assert properties["empty"]["nullable"] is True
    assert properties["size"]["x-kubernetes-validations"] == [
        {"rule": "self == oldSelf", "message": "Size cannot change"}
    ]


def test_unknown_fields_are_kept_at_every_level_when_asked():
    schema = schema_of(Everything, keep_unknown=True)
    assert schema["x-kubernetes-preserve-unknown-fields"] is True
    assert schema["properties"]["port"]["x-kubernetes-preserve-unknown-fields"] is True
    assert schema["properties"]["ports"]["items"]["x-kubernetes-preserve-unknown-fields"] is True


class Circle(Fields):
    again: "tuple[Circle, ...]" = ()


class Plain:
    pass


class _Either(Fields):
    it: str | bool = ""


class _Mixed(Fields):
    it: Literal[1, "a"] = 1


class _Keys(Fields):
    it: dict[int, str] = field(default_factory=dict)


class _Fixed(Fields):
    it: tuple[int, str] = (0, "")


class _Foreign(Fields):
    it: Plain | None = None


class _Bytes(Fields):
    it: Annotated[bytes, Meta(max_length=3)] = b""


class _NoDefault(Fields):
    it: Annotated[str, DEFAULTED]


class _DefaultNone(Fields):
    it: Annotated[str | None, DEFAULTED] = None


REFUSED = [
    (Circle, "Circle → Circle", "CRDs know no references"),
    (_Either, "no choice between types", "structural schemas have no oneOf of types"),
    (_Mixed, "either strings or integers", "one type per enumeration"),
    (_Keys, "keys of a JSON object", "JSON keys are strings"),
    (_Fixed, "cannot say TupleType", "arrays have one schema for all items"),
    (_Foreign, "Plain does not say what it is", "custom types carry their schema"),
    (_Bytes, "base64", "lengths would be of the text"),
    (_NoDefault, "without a default", "there is nothing to store"),
    (_DefaultNone, "default is None", "null is not a default"),
]


@pytest.mark.parametrize(("struct", "says", "why"), REFUSED)
def test_what_a_structural_schema_cannot_say_is_refused_with_its_path(struct, says, why):
    with pytest.raises(TypeError, match=says) as refused:
        schema_of(struct)
    assert struct.__name__ in str(refused.value), why


def test_nesting_is_bounded():
    inner = Port
    for depth in range(50):
        inner = type(Fields)(f"Level{depth}", (Fields,), {"__annotations__": {"inner": inner}, "__module__": __name__})
    with pytest.raises(TypeError, match="nested deeper"):
        schema_of(inner)


def test_a_field_may_be_demanded_of_people_and_still_be_read_where_it_is_missing():
    class Mount(Fields):
        path: Annotated[str, DEFAULTED, DEMANDED] = "approle"
        role: Annotated[str, DEMANDED] = ""
        note: str = ""

    schema = schema_of(Mount)
    assert schema["required"] == ["path", "role"]
    assert schema["properties"]["path"]["default"] == "approle"
    assert converted({}, Mount) == Mount()
