"""Patches between a composite, an environment and a composed resource: where a value comes from and where it goes."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from plumbline.base.errors import BadFieldPath, BadPatch, EvaluationFailed, FieldNotFound, InvalidInput
from plumbline.base.json import Json, JsonObject, encode
from plumbline.base.limits import MIB
from plumbline.composition.patching.govalues import Form, floated, json_text, settled
from plumbline.composition.patching.templates import Combine, PatchSet, PatchTemplate, Policy
from plumbline.composition.patching.transforms import Transforms
from plumbline.kube.fieldpath import Draft, MergeOptions, Path, expanded, merged, parsed, text_of, value_at

End: TypeAlias = Literal["composite", "composed", "environment"]
PatchFault: TypeAlias = BadFieldPath | BadPatch | EvaluationFailed | FieldNotFound
FAULTS: Final = (BadFieldPath, BadPatch, EvaluationFailed, FieldNotFound)

ENDS: Final[Mapping[str, tuple[End, End]]] = {
    "FromCompositeFieldPath": ("composite", "composed"),
    "CombineFromComposite": ("composite", "composed"),
    "ToCompositeFieldPath": ("composed", "composite"),
    "CombineToComposite": ("composed", "composite"),
    "FromEnvironmentFieldPath": ("environment", "composed"),
    "CombineFromEnvironment": ("environment", "composed"),
    "ToEnvironmentFieldPath": ("composed", "environment"),
    "CombineToEnvironment": ("composed", "environment"),
}
ENVIRONMENT_ENDS: Final[Mapping[str, tuple[End, End]]] = {
    "FromCompositeFieldPath": ("composite", "environment"),
    "ToEnvironmentFieldPath": ("composite", "environment"),
    "CombineFromComposite": ("composite", "environment"),
    "ToCompositeFieldPath": ("environment", "composite"),
    "FromEnvironmentFieldPath": ("environment", "composite"),
    "CombineToComposite": ("environment", "composite"),
}
"""Of patches that belong to no resource."""

_POLICIES: Final = {
    "MergeObjects": MergeOptions(keep_map_values=True),
    "MergeObject": MergeOptions(keep_map_values=True),
    "MergeObjectsAppendArrays": MergeOptions(keep_map_values=True, append_slice=True),
    "ForceMergeObjects": MergeOptions(),
    "ForceMergeObjectsAppendArrays": MergeOptions(append_slice=True),
    "AppendArray": MergeOptions(append_slice=True),
}
_MOST_WRITTEN: Final = 16 * MIB
"""What all patches together may write into one object: values are shared here, but not where they are stored."""
MOST_PATCHES: Final = 100_000


def wrapped(fault: PatchFault, what: str) -> PatchFault:
    """*fault* after *what*; what was not found stays that."""
    text = f"{what}: {fault}"
    return FieldNotFound(text) if isinstance(fault, FieldNotFound) else EvaluationFailed(text)


class Target:
    """An object that patches write to."""

    __slots__ = ("_draft", "_left")

    def __init__(self, of: JsonObject) -> None:
        self._draft = Draft(of)
        self._left = _MOST_WRITTEN

    @property
    def object(self) -> JsonObject:
        return self._draft.object

    def put(self, path: Path, value: Json, options: MergeOptions | None) -> None:
        segments = path.segments
        if options is not None:
            value = merged(self._existing(path), value, options)
        value = settled(value)
        self._spend(value)
        self._draft.put(segments, value)
        self.check()

    def put_all(self, path: Path, value: Json, options: MergeOptions | None) -> None:
        """To everything that *path* stands for."""
        found = expanded(self.object, path.segments)
        if not found:
            raise EvaluationFailed(f"cannot expand ToFieldPath {path.text}")
        for each in found:
            # Written and read again, as upstream does: a key with brackets in it is another path then, or none.
            segments = parsed(text_of(each))
            new = merged(_found(self.object, segments), value, options) if options is not None else value
            new = settled(new)
            self._spend(new)
            self._draft.put(segments, new)
        self.check()

    def check(self) -> None:
        """Raises EvaluationFailed where it is no object any more that a server would take."""
        if not isinstance(self.object.get("kind"), str) or not self.object["kind"]:
            raise EvaluationFailed(f"Object 'Kind' is missing in '{json_text(self.object)}'")

    def _existing(self, path: Path) -> Json:
        return _found(self.object, path.segments)

    def _spend(self, value: Json) -> None:
        if isinstance(value, dict | list):
            self._left -= len(encode(value))
        elif isinstance(value, str):
            self._left -= len(value)
        if self._left < 0:
            raise EvaluationFailed(f"patches write more than {_MOST_WRITTEN // MIB} MiB into one object")


def _found(of: JsonObject, segments: tuple[str | int, ...]) -> Json:
    try:
        return value_at(of, segments)
    except FieldNotFound:
        return None


class Patch:
    """One patch, read once. Faults of what it says are told when it is used, which is when upstream tells them."""

    __slots__ = ("_combine", "_fault", "_from", "_native", "_to", "_transforms", "kind", "options", "required", "source", "target")  # fmt: skip

    def __init__(self, template: PatchTemplate, ends: tuple[End, End], *, native: bool) -> None:
        self.kind = template.kind
        self.source, self.target = ends
        self.required = template.policy is not None and template.policy.from_field_path == "Required"
        self._native = native
        self._fault = _native_fault(template) if native else ""
        self._combine = _Combination(template.combine or Combine()) if self.combines else None
        origin = template.from_field_path or ""
        self._from = Path(origin)
        self._to = Path(origin if template.to_field_path is None else template.to_field_path)
        self._transforms = Transforms(template.transforms or (), native=native)
        self.options = _merge_options(template.policy, native=native)
        if native and self.combines:
            self.options = None

    @property
    def combines(self) -> bool:
        return self.kind.startswith("Combine")

    @property
    def to(self) -> Path:
        return self._to

    def value(self, source: JsonObject, *, floats: bool) -> Json:
        """What it makes of *source*, whose numbers are all floats if *floats*. Raises FieldNotFound if that says nothing."""
        value = self._read(source, floats=floats)
        return self._transforms(value) if self._transforms else value

    def _read(self, source: JsonObject, *, floats: bool) -> Json:
        if self._fault:
            raise EvaluationFailed(self._fault)
        if self._combine is not None:
            return self._combine.value(source, floats=floats)
        value = self._from.value(source)
        return floated(value) if floats and self._transforms else value

    def write(self, value: Json, target: Target) -> None:
        if self._to.wild and self._combine is None:
            target.put_all(self._to, value, self.options)
            return
        if self._native:
            target.put(self._to, value, self.options)
            return
        if self._combine is None:
            value = settled(value)
        try:
            target.put(self._to, value, self.options)
        except FAULTS as fault:
            raise wrapped(fault, "cannot patch to object") from fault


class _Combination:
    __slots__ = ("_fault", "_form", "_paths")

    def __init__(self, combine: Combine) -> None:
        self._paths = tuple(Path(each.from_field_path or "") for each in combine.variables or ())
        self._form = Form(combine.string.fmt or "" if combine.string else "")
        self._fault = ""
        if combine.strategy != "string":
            self._fault = f"combine strategy {combine.strategy or ''} is not supported"
        elif combine.string is None:
            self._fault = "given combine strategy string requires configuration"

    def value(self, source: JsonObject, *, floats: bool) -> str:
        values = [each.value(source) for each in self._paths]
        if self._fault:
            raise EvaluationFailed(self._fault)
        return self._form(*(map(floated, values) if floats else values))


def _native_fault(template: PatchTemplate) -> str:
    kind = template.kind
    if not kind.startswith("Combine"):
        return f"FromFieldPath is required by type {kind}" if template.from_field_path is None else ""
    if template.combine is None:
        return f"Combine is required by type {kind}"
    if template.to_field_path is None:
        return f"ToFieldPath is required by type {kind}"
    return "" if template.combine.variables else "combine patch types require at least one variable"


def _merge_options(policy: Policy | None, *, native: bool) -> MergeOptions | None:
    if policy is None:
        return None
    if not native:
        return _POLICIES.get(policy.to_field_path or "")
    given = policy.merge_options
    return MergeOptions(bool(given.keep_map_values), bool(given.append_slice)) if given is not None else None


class PatchSets:
    """Sets of patches by name, read once for all resources that include them."""

    def __init__(self, patch_sets: Sequence[PatchSet], *, native: bool) -> None:
        """Raises InvalidInput."""
        self._native = native
        self._count = 0
        for each in patch_sets:
            if any(patch.kind == "PatchSet" for patch in each.patches or ()):
                raise InvalidInput("a patch in a PatchSet cannot be of type PatchSet")
        self._sets = {each.name or "": self._read(each.patches or ()) for each in patch_sets}

    def inlined(self, templates: Sequence[PatchTemplate]) -> tuple[Patch, ...]:
        """Raises InvalidInput."""
        patches: list[Patch] = []
        for each in templates:
            if each.kind != "PatchSet":
                patches += self._read((each,))
                continue
            if each.patch_set_name is None:
                raise InvalidInput("PatchSetName is required by type PatchSet")
            if each.patch_set_name not in self._sets:
                raise InvalidInput(f"cannot find PatchSet by name {each.patch_set_name}")
            patches += self._sets[each.patch_set_name]
            self._count += len(self._sets[each.patch_set_name])
            if self._count > MOST_PATCHES:
                raise InvalidInput(f"there are more than {MOST_PATCHES} patches, with those of patch sets")
        return tuple(patches)

    def _read(self, templates: Sequence[PatchTemplate]) -> tuple[Patch, ...]:
        """What is of no known type keeps its place in the count, and does nothing."""
        return tuple(Patch(each, ENDS.get(each.kind, _NOWHERE), native=self._native) for each in templates)


_NOWHERE: Final[tuple[End, End]] = ("composite", "composite")
