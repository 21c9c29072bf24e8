"""Patches between a composite resource and what it is composed of: mode Resources of a Composition."""

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from plumbline.kinds.fields import DEFAULTED, EMBEDDED, Fields, FreeObject, Int64


class MathTransform(Fields):
    """A number into another."""

    type: Annotated[Literal["Multiply", "ClampMin", "ClampMax"], DEFAULTED] = "Multiply"
    """What is done with the number."""
    multiply: Int64 | None = None
    """Times this."""
    clamp_min: Int64 | None = None
    """At least this."""
    clamp_max: Int64 | None = None
    """At most this."""


class MatchPattern(Fields):
    """One case."""

    type: Annotated[Literal["literal", "regexp"], DEFAULTED] = "literal"
    """How the text is compared."""
    literal: str | None = None
    """The text."""
    regexp: str | None = None
    """An RE2 expression that occurs in the text."""
    result: Any
    """What comes out."""


class MatchTransform(Fields):
    """A text into the result of the first case that matches."""

    patterns: tuple[MatchPattern, ...] = ()
    """Cases, in order."""
    fallback_value: Any = None
    """What comes out where no case matches."""
    fallback_to: Annotated[Literal["Value", "Input"], DEFAULTED] = "Value"
    """Whether that is fallbackValue or the text itself."""


class RegexpTransform(Fields):
    """A part of a text."""

    match: str
    """An RE2 expression."""
    group: int | None = None
    """Number of the group that is taken; the whole match if absent."""


class JoinTransform(Fields):
    """A list into one text."""

    separator: str
    """Between the items."""


class StringTransform(Fields):
    """Anything into a text."""

    type: Annotated[Literal["Format", "Convert", "TrimPrefix", "TrimSuffix", "Regexp", "Join"], DEFAULTED] = "Format"
    """What is done."""
    format: str | None = field(name="fmt", default=None)
    """A format with one verb, as in Go."""
    convert: (
        Literal["ToUpper", "ToLower", "ToBase64", "FromBase64", "ToJson", "ToSha1", "ToSha256", "ToSha512", "ToAdler32"]
        | None
    ) = None
    """Into what."""
    trim: str | None = None
    """What is cut off."""
    regexp: RegexpTransform | None = None
    join: JoinTransform | None = None


class ConvertTransform(Fields):
    """A value into one of another type."""

    to_type: Literal["string", "int", "int64", "bool", "float64", "object", "array"]
    """The type."""
    format: Literal["none", "quantity", "json"] | None = None
    """How a text is read."""


class Transform(Fields):
    """One change of a value on its way."""

    type: Literal["map", "match", "math", "string", "convert"]
    """Which of the fields below says how."""
    math: MathTransform | None = None
    map: FreeObject | None = None
    """Texts and what becomes of them."""
    match: MatchTransform | None = None
    string: StringTransform | None = None
    convert: ConvertTransform | None = None


class CombineVariable(Fields):
    """One of several values."""

    from_field_path: str
    """Where it is."""


class StringCombine(Fields):
    """Several values into a text."""

    format: str = field(name="fmt")
    """A format with a verb for each, as in Go."""


class Combine(Fields):
    """Several values into one."""

    variables: Annotated[tuple[CombineVariable, ...], Meta(min_length=1)]
    """The values, in order."""
    strategy: Literal["string"]
    """How they are combined."""
    string: StringCombine | None = None


class MergeOptions(Fields):
    """How a value is merged into the one that is there."""

    keep_map_values: bool | None = None
    """Whether keys that are there keep their values."""
    append_slice: bool | None = None
    """Whether items of a list are added."""


class PatchPolicy(Fields):
    """What to do in doubt."""

    from_field_path: Literal["Optional", "Required"] | None = None
    """Whether a value that is missing is an error."""
    merge_options: MergeOptions | None = None


class Patch(Fields):
    """A value from one object into another."""

    type: Annotated[
        Literal[
            "FromCompositeFieldPath",
            "PatchSet",
            "ToCompositeFieldPath",
            "CombineFromComposite",
            "CombineToComposite",
        ],
        DEFAULTED,
    ] = "FromCompositeFieldPath"
    """From where to where."""
    from_field_path: str | None = None
    """Where the value is."""
    combine: Combine | None = None
    to_field_path: str | None = None
    """Where it goes; to the same place if absent."""
    patch_set_name: str | None = None
    """Name of a set of patches that stands here."""
    transforms: tuple[Transform, ...] = ()
    """Changes on the way, in order."""
    policy: PatchPolicy | None = None


class PatchSet(Fields):
    """Patches that several templates use."""

    name: str
    patches: tuple[Patch, ...]


class ConnectionDetail(Fields):
    """One key of the connection secret."""

    name: str | None = None
    """The key; the one it is taken from if absent."""
    type: Literal["FromConnectionSecretKey", "FromFieldPath", "FromValue"] | None = None
    """Where the value comes from."""
    from_connection_secret_key: str | None = None
    """Key of the composed resource's own secret."""
    from_field_path: str | None = None
    """Place in the composed resource."""
    value: str | None = None


class MatchCondition(Fields, omit_defaults=False):
    """A condition and its status."""

    type: Annotated[str, DEFAULTED] = "Ready"
    """The condition."""
    status: Annotated[str, DEFAULTED] = "True"
    """Its status."""


class ReadinessCheck(Fields):
    """What must hold before a composed resource is ready."""

    type: Literal["MatchString", "MatchInteger", "NonEmpty", "MatchCondition", "MatchTrue", "MatchFalse", "None"]
    """What is looked at, and how."""
    field_path: str | None = None
    """The place that is looked at."""
    match_string: str | None = None
    """The text that must be there."""
    match_integer: Int64 | None = None
    """The number that must be there."""
    match_condition: MatchCondition | None = None


class ComposedTemplate(Fields):
    """A resource of the composition."""

    name: str | None = None
    """By which it is recognised; without one, by its place in the list."""
    base: Annotated[FreeObject, EMBEDDED]
    """The resource before anything is patched."""
    patches: tuple[Patch, ...] = ()
    connection_details: tuple[ConnectionDetail, ...] = ()
    """What it adds to the connection secret."""
    readiness_checks: Annotated[tuple[ReadinessCheck, ...], DEFAULTED] = (
        ReadinessCheck(type="MatchCondition", match_condition=MatchCondition()),
    )
    """When it is ready."""
