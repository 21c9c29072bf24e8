"""What the function refuses of its input before it looks at anything else, in its words and in its order."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

from plumbline.base.errors import BadExpression, InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.regex import capturing
from plumbline.composition.patching.templates import (
    Combine,
    ConnectionDetail,
    ConvertTransform,
    FunctionInput,
    MatchPattern,
    MatchTransform,
    MathTransform,
    PatchSet,
    PatchTemplate,
    Policy,
    ReadinessCheck,
    ResourceTemplate,
    StringTransform,
    Transform,
)
from plumbline.kube.gotext import quoted

FIELD_PATCHES: Final = frozenset({
    "FromCompositeFieldPath", "ToCompositeFieldPath", "FromEnvironmentFieldPath", "ToEnvironmentFieldPath",
})  # fmt: skip
COMBINE_PATCHES: Final = frozenset({
    "CombineFromComposite", "CombineToComposite", "CombineFromEnvironment", "CombineToEnvironment",
})  # fmt: skip
_ENVIRONMENT_PATCHES: Final = FIELD_PATCHES | {"CombineFromComposite", "CombineToComposite"}
TO_POLICIES: Final = (
    "Replace", "MergeObjects", "MergeObjectsAppendArrays", "ForceMergeObjects", "ForceMergeObjectsAppendArrays",
    "MergeObject", "AppendArray",
)  # fmt: skip
_CHECKS: Final = frozenset({
    "NonEmpty", "MatchString", "MatchInteger", "MatchTrue", "MatchFalse", "MatchCondition", "None",
})  # fmt: skip
_DETAILS: Final = {
    "FromValue": ("value", "value connection detail requires a value"),
    "FromConnectionSecretKey": (
        "fromConnectionSecretKey",
        "from connection secret key connection detail requires a key",
    ),
    "FromFieldPath": ("fromFieldPath", "from field path connection detail requires a field path"),
}
TYPES: Final = frozenset({"string", "bool", "int", "int64", "float64", "object", "array"})
FORMATS: Final = frozenset({"none", "quantity", "json"})
_MATH: Final = {
    "Multiply": ("multiply", "must specify a value if a multiply math transform is specified"),
    "ClampMin": ("clampMin", "must specify a value if a clamp min math transform is specified"),
    "ClampMax": ("clampMax", "must specify a value if a clamp max math transform is specified"),
}


_P = TypeVar("_P")


class Fault(NamedTuple):
    """A field that is wrong, or missing."""

    field: str
    why: str

    def __str__(self) -> str:
        return f"{self.field}: {self.why}"


Faults: TypeAlias = Iterator[Fault]
"""Of which only the first is said: what comes after it may rest on what it complains about."""


def required(field: str, detail: str) -> Fault:
    return Fault(field, f"Required value: {detail}")


def invalid(field: str, value: str, detail: str) -> Fault:
    return Fault(field, f"Invalid value: {quoted(value)}: {detail}")


def _within(field: str, faults: Faults) -> Faults:
    return (Fault(f"{field}.{each.field}", each.why) for each in faults)


def check_input(given: FunctionInput) -> None:
    """Raises InvalidInput."""
    if fault := next(_input_faults(given), None):
        raise InvalidInput(str(fault))


def _input_faults(given: FunctionInput) -> Faults:
    for patch_set in given.patch_sets or ():
        yield from _check_patch_set(patch_set)
    environment = given.environment.patches if given.environment else None
    if not given.resources and not environment:
        yield required("resources", "resources or environment patches are required")
    for at, each in enumerate(given.resources or ()):
        yield from _within(f"resources[{at}]", _check_template(each))
    yield from _within("environment", _check_environment(environment or ()))


def _check_patch_set(patch_set: PatchSet) -> Faults:
    if not patch_set.name:
        yield required("name", "name is required")
    yield from _each("patches", patch_set.patches, _check_patch_in_set)


def _check_patch_in_set(patch: PatchTemplate) -> Faults:
    if patch.kind == "PatchSet":
        yield invalid("type", "PatchSet", "patch type *v1beta1.PatchSetPatch does not support patch of type PatchSet")
    yield from check_patch(patch)


def _check_template(template: ResourceTemplate) -> Faults:
    if not template.name:
        yield required("name", "name is required")
    yield from _each("patches", template.patches, check_patch)
    yield from _each("connectionDetails", template.connection_details, check_detail)
    yield from _each("readinessChecks", template.readiness_checks, check_readiness)


def _each(field: str, parts: Sequence[_P] | None, check: Callable[[_P], Faults]) -> Faults:
    for at, each in enumerate(parts or ()):
        yield from _within(f"{field}[{at}]", check(each))


def _check_environment(patches: Sequence[PatchTemplate]) -> Faults:
    for at, each in enumerate(patches):
        if each.kind not in _ENVIRONMENT_PATCHES:
            yield invalid(f"patches[{at}][type]", each.kind, "invalid environment patch type")
        yield from _within(f"patches[{at}]", check_patch(each))


def check_patch(patch: PatchTemplate) -> Faults:
    kind = patch.kind
    if kind in COMBINE_PATCHES:
        if patch.combine is None:
            yield required("combine", f"combine must be set for patch type {kind}")
        else:
            yield from _combine_faults(patch, patch.combine)
        return
    if kind in FIELD_PATCHES:
        if not patch.from_field_path:
            yield required("fromFieldPath", f"fromFieldPath must be set for patch type {kind}")
    elif kind == "PatchSet":
        if not patch.patch_set_name:
            yield required("patchSetName", f"patchSetName must be set for patch type {kind}")
    else:
        yield invalid("type", kind, "unknown patch type")
    for at, each in enumerate(patch.transforms or ()):
        yield from _within(f"transforms[{at}]", check_transform(each))
    yield from _check_policy(patch.policy)


def _combine_faults(patch: PatchTemplate, combine: Combine) -> Faults:
    if not (patch.to_field_path if patch.to_field_path is not None else patch.from_field_path):
        yield required("toFieldPath", f"toFieldPath must be set for patch type {patch.kind}")
    yield from _within("combine", check_combine(combine))


def _check_policy(policy: Policy | None) -> Faults:
    if policy is None:
        return
    to = "Replace" if policy.to_field_path is None else policy.to_field_path
    if to not in TO_POLICIES:
        yield invalid("policy.toFieldPathPolicy", to, "unknown toFieldPathPolicy")
    origin = "Optional" if policy.from_field_path is None else policy.from_field_path
    if origin not in {"Optional", "Required"}:
        yield invalid("policy.fromFieldPathPolicy", origin, "unknown fromFieldPathPolicy")


def check_combine(combine: Combine) -> Faults:
    if not combine.strategy:
        yield required("strategy", "a combine strategy must be provided")
    if combine.strategy != "string":
        yield invalid("strategy", combine.strategy or "", "unknown strategy type")
    if combine.string is None:
        yield required("string", "string must be set for combine strategy string")
    if not combine.variables:
        yield required("variables", "at least one variable must be provided")
    for at, each in enumerate(combine.variables or ()):
        if not each.from_field_path:
            yield required(f"variables[{at}].fromFieldPath", "fromFieldPath must be set for each combine variable")


def check_transform(transform: Transform) -> Faults:
    kind = transform.type or ""
    if kind not in _TRANSFORMS:
        yield invalid("type", kind, "unknown transform type")
    if getattr(transform, kind) is None:
        yield required(kind, f"given transform type {kind} requires configuration")
    yield from _within(kind, _TRANSFORMS[kind](getattr(transform, kind)))


def _check_map(pairs: JsonObject) -> Faults:
    if not pairs:
        yield required("pairs", "at least one pair must be specified if a map transform is specified")


def check_math(math: MathTransform, default: str = "") -> Faults:
    kind = math.type or default
    if not kind:
        yield required("type", "math transform type is required")
    if kind not in _MATH:
        yield invalid("type", kind, "unknown math transform type")
    field, detail = _MATH[kind]
    if {"multiply": math.multiply, "clampMin": math.clamp_min, "clampMax": math.clamp_max}[field] is None:
        yield required(field, detail)


def _check_match(match: MatchTransform) -> Faults:
    if not match.patterns:
        yield required("patterns", "at least one pattern must be specified if a match transform is specified")
    yield from _each("patterns", match.patterns, _check_pattern)


def _check_pattern(pattern: MatchPattern) -> Faults:
    kind = pattern.type or "literal"
    if kind == "literal":
        if pattern.literal is None:
            yield required("literal", "literal pattern type requires a literal")
    elif kind == "regexp":
        if pattern.regexp is None:
            yield required("regexp", "regexp pattern type requires a regexp")
        elif not _readable(pattern.regexp):
            yield invalid("regexp", pattern.regexp, "invalid regexp")
    else:
        yield invalid("type", kind, "unknown pattern type")


def _readable(expression: str) -> bool:
    try:
        capturing(expression)
    except BadExpression:
        return False
    return True


_STRING: Final = {
    "Format": ("fmt", "format transform requires a format"),
    "Convert": ("convert", "convert transform requires a conversion type"),
    "TrimPrefix": ("trim", "trim transform requires a trim value"),
    "TrimSuffix": ("trim", "trim transform requires a trim value"),
    "Regexp": ("regexp", "regexp transform requires a regexp"),
    "Join": ("join", "join transform requires a join"),
    "Replace": ("replace", "replace transform requires a replace"),
}


def _check_string(string: StringTransform) -> Faults:
    kind = string.type or ""
    if not kind:
        yield required("type", "string transform type is required")
    if kind not in _STRING:
        yield invalid("type", kind, "unknown string transform type")
    field, detail = _STRING[kind]
    if getattr(string, field) is None:
        yield required(field, detail)
    if kind == "Replace" and string.replace is not None and not string.replace.search:
        yield required("replace.search", "replace transform requires a search")
    if kind == "Regexp" and string.regexp is not None:
        if not string.regexp.match:
            yield required("regexp.match", "regexp transform requires a match")
        elif not _readable(string.regexp.match):
            yield invalid("regexp.match", string.regexp.match, "invalid regexp")


def check_convert(convert: ConvertTransform) -> Faults:
    if convert.format is not None and convert.format not in FORMATS:
        yield invalid("format", convert.format, "invalid format")
    if convert.to_type not in TYPES:
        yield invalid("toType", convert.to_type or "", "invalid type")


_TRANSFORMS: Final[dict[str, Callable[..., Faults]]] = {
    "math": check_math,
    "map": _check_map,
    "match": _check_match,
    "string": _check_string,
    "convert": check_convert,
}


def check_detail(detail: ConnectionDetail) -> Faults:
    kind = detail.type or ""
    if not kind:
        yield required("type", "connection detail type is required")
    if kind not in _DETAILS:
        yield invalid("type", kind, "unknown connection detail type")
    if not detail.name:
        yield required("name", "name is required")
    field, text = _DETAILS[kind]
    given = {
        "value": detail.value,
        "fromConnectionSecretKey": detail.from_connection_secret_key,
        "fromFieldPath": detail.from_field_path,
    }
    if given[field] is None:
        yield required(field, text)


def check_readiness(check: ReadinessCheck) -> Faults:
    if check.type not in _CHECKS:
        yield invalid("type", check.type or "", "unknown readiness check type")
    if check.type == "None":
        return
    if check.type == "MatchCondition":
        if check.match_condition is not None and not check.match_condition.type:
            yield required("matchCondition.type", "cannot be empty for type MatchCondition")
        if check.match_condition is not None and not check.match_condition.status:
            yield required("matchCondition.status", "cannot be empty for type MatchCondition")
        return
    if check.type == "MatchString" and check.match_string is None:
        yield required("matchString", "cannot be nil for type MatchString")
    if check.type == "MatchInteger" and check.match_integer is None:
        yield required("matchInteger", "cannot be nil for type MatchInteger")
    if check.field_path is None:
        yield required("fieldPath", "cannot be empty")
