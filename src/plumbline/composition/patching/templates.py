"""What a composition says about its resources, read but not yet judged."""

from collections.abc import Iterator
from typing import Annotated, Final, TypeVar

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class _Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Null and absent are the same."""


class MathTransform(_Part, frozen=True):
    type: str | None = None
    multiply: Int64 | None = None
    clamp_min: Int64 | None = None
    clamp_max: Int64 | None = None


class MatchPattern(_Part, frozen=True):
    type: str | None = None
    literal: str | None = None
    regexp: str | None = None
    result: Json = None


class MatchTransform(_Part, frozen=True):
    patterns: tuple[MatchPattern, ...] | None = None
    fallback_value: Json = None
    fallback_to: str | None = None


class StringRegexp(_Part, frozen=True):
    match: str | None = None
    group: Int64 | None = None


class StringJoin(_Part, frozen=True):
    separator: str | None = None


class StringReplace(_Part, frozen=True):
    search: str | None = None
    replace: str | None = None


class StringTransform(_Part, frozen=True):
    type: str | None = None
    fmt: str | None = None
    convert: str | None = None
    trim: str | None = None
    regexp: StringRegexp | None = None
    join: StringJoin | None = None
    replace: StringReplace | None = None


class ConvertTransform(_Part, frozen=True):
    to_type: str | None = None
    format: str | None = None


class Transform(_Part, frozen=True):
    type: str | None = None
    math: MathTransform | None = None
    map: dict[str, Json] | None = None
    match: MatchTransform | None = None
    string: StringTransform | None = None
    convert: ConvertTransform | None = None


class CombineVariable(_Part, frozen=True):
    from_field_path: str | None = None


class CombineString(_Part, frozen=True):
    fmt: str | None = None


class Combine(_Part, frozen=True):
    variables: tuple[CombineVariable, ...] | None = None
    strategy: str | None = None
    string: CombineString | None = None


class MergeOptionsTemplate(_Part, frozen=True):
    keep_map_values: bool | None = None
    append_slice: bool | None = None


class Policy(_Part, frozen=True):
    from_field_path: str | None = None
    to_field_path: str | None = None
    """Of the function."""
    merge_options: MergeOptionsTemplate | None = None
    """Of mode Resources."""


class PatchTemplate(_Part, frozen=True):
    type: str | None = None
    from_field_path: str | None = None
    combine: Combine | None = None
    to_field_path: str | None = None
    patch_set_name: str | None = None
    transforms: tuple[Transform, ...] | None = None
    policy: Policy | None = None

    @property
    def kind(self) -> str:
        return self.type or "FromCompositeFieldPath"


class PatchSet(_Part, frozen=True):
    name: str | None = None
    patches: tuple[PatchTemplate, ...] | None = None


class ConnectionDetail(_Part, frozen=True):
    name: str | None = None
    type: str | None = None
    from_connection_secret_key: str | None = None
    from_field_path: str | None = None
    value: str | None = None


class MatchCondition(_Part, frozen=True):
    type: str | None = None
    status: str | None = None


class ReadinessCheck(_Part, frozen=True):
    type: str | None = None
    field_path: str | None = None
    match_string: str | None = None
    match_integer: Int64 | None = None
    match_condition: MatchCondition | None = None


class ResourceTemplate(_Part, frozen=True):
    name: str | None = None
    base: Json = None
    patches: tuple[PatchTemplate, ...] | None = None
    connection_details: tuple[ConnectionDetail, ...] | None = None
    readiness_checks: tuple[ReadinessCheck, ...] | None = None


class Environment(_Part, frozen=True):
    patches: tuple[PatchTemplate, ...] | None = None


class SecretTemplate(_Part, frozen=True):
    name: str | None = None
    namespace: str | None = None
    patches: tuple[PatchTemplate, ...] | None = None


class Resources(_Part, frozen=True):
    """Of a composition in mode Resources, or the function's input."""

    patch_sets: tuple[PatchSet, ...] | None = None
    environment: Environment | None = None
    resources: tuple[ResourceTemplate, ...] | None = None


class FunctionInput(Resources, frozen=True):
    api_version: str | None = None
    kind: str | None = None
    metadata: JsonObject | None = None
    write_connection_secret_to_ref: SecretTemplate | None = None


_R = TypeVar("_R", bound=Resources)
_ONLY_NATIVE: Final = frozenset({"mergeOptions"})


def read(value: Json, kind: type[_R]) -> _R:
    """Raises InvalidInput where something is of another type than it has to be. What is not known is passed over."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as fault:
        raise InvalidInput(str(fault)) from fault


def read_strictly(value: Json) -> FunctionInput:
    """The function's input, in which nothing is passed over."""
    found = read(value, FunctionInput)
    for where, name in _unknown(value, found, ""):
        raise InvalidInput(f'json: cannot unmarshal JSON object within JSON value at "{where}": unknown name "{name}"')
    return found


def _unknown(value: JsonObject, read_as: _Part, where: str) -> Iterator[tuple[str, str]]:
    attributes = dict(zip(read_as.__struct_encode_fields__, read_as.__struct_fields__, strict=True))
    for key, each in value.items():
        if key not in attributes or key in _ONLY_NATIVE:
            yield where, key
            continue
        part = getattr(read_as, attributes[key])
        if isinstance(part, _Part):
            yield from _unknown(each, part, f"{where}/{key}")
        elif isinstance(part, tuple):
            for at, (item, item_read) in enumerate(zip(each, part, strict=True)):
                yield from _unknown(item, item_read, f"{where}/{key}/{at}")
