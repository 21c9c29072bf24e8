"""Whether the patches of a composition lead from fields that are there to fields that are there. Pure."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final, NamedTuple

from plumbline.apiserver.crds.structural import Node
from plumbline.base.errors import BadFieldPath, InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.cli.composition.schemas import Schemas
from plumbline.composition.parts import below
from plumbline.composition.patching.patches import ENDS
from plumbline.composition.patching.templates import PatchTemplate, Resources, ResourceTemplate, read
from plumbline.kube.fieldpath import Segments, parsed, text_of
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind

_INPUT: Final = "pt.fn.crossplane.io"
_METADATA: Final = frozenset({
    "annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generateName",
    "generation", "labels", "managedFields", "name", "namespace", "ownerReferences", "resourceVersion", "selfLink", "uid",
})  # fmt: skip
_NUMBERS: Final = frozenset({"integer", "number"})


class Warned(NamedTuple):
    composition: str
    resource: str
    patch: int
    message: str

    @property
    def line(self) -> str:
        return f"[!] composition {self.composition}, resource {quoted(self.resource)}, patch at index {self.patch}: {self.message}"


class _Found(NamedTuple):
    fault: str = ""
    node: Node | None = None
    """The schema at the end of the path, where there is one."""


class _Side(NamedTuple):
    """One end of patches: a kind with its schema."""

    kind: str
    root: Node

    def found(self, path: str) -> _Found:
        try:
            segments = parsed(path)
        except BadFieldPath as bad:
            return _Found(f"{path} is no field path: {bad}")
        return _walked(self, segments)


def warnings(composition: JsonObject, schemas: Schemas) -> Iterator[Warned]:
    """What is wrong with its patches, as far as both schemas are known; what cannot be told is not told."""
    name = str(below(composition, "metadata").get("name") or "")
    composite = _side(below(composition, "spec", "compositeTypeRef"), schemas)
    for given in _inputs(composition):
        sets = {each.name or "": each.patches or () for each in given.patch_sets or ()}
        for at, template in enumerate(given.resources or (), 1):
            called = template.name or f"resource {at}"
            base: Json = template.base
            composed = _side(base, schemas) if isinstance(base, dict) else None
            for index, patch in enumerate(_inlined(template, sets)):
                for message in _messages(patch, composite, composed):
                    yield Warned(name, called, index, message)


def _inputs(composition: JsonObject) -> Iterator[Resources]:
    spec = below(composition, "spec")
    pipeline = spec.get("pipeline")
    steps = [below(each, "input") for each in pipeline if isinstance(each, dict)] if isinstance(pipeline, list) else []
    written = [each for each in steps if str(each.get("apiVersion", "")).startswith(_INPUT)]
    written += [spec] if isinstance(spec.get("resources"), list) else []
    for each in written:
        try:
            yield read({key: each[key] for key in ("patchSets", "resources") if key in each}, Resources)
        except InvalidInput:
            continue  # the schema of the composition says so already


def _inlined(template: ResourceTemplate, sets: dict[str, tuple[PatchTemplate, ...]]) -> Iterator[PatchTemplate]:
    for patch in template.patches or ():
        if patch.kind == "PatchSet":
            yield from sets.get(patch.patch_set_name or "", ())
        else:
            yield patch


def _side(of: JsonObject, schemas: Schemas) -> _Side | None:
    gvk = GroupVersionKind.of(of)
    served = schemas.served(gvk) if gvk.kind and gvk.version else None
    return None if served is None else _Side(gvk.kind, served.root)


def _messages(patch: PatchTemplate, composite: _Side | None, composed: _Side | None) -> Iterator[str]:
    ends = ENDS.get(patch.kind)
    if ends is None:
        return
    source, target = ({"composite": composite, "composed": composed}.get(each) for each in ends)
    variables = (patch.combine.variables or ()) if patch.combine is not None else ()
    combined = [each.from_field_path for each in variables if each.from_field_path]
    sources = combined or ([patch.from_field_path] if patch.from_field_path else [])
    found = [source.found(path) for path in sources] if source is not None else []
    yield from (each.fault for each in found if each.fault)
    to = patch.to_field_path or (sources[0] if sources and not combined else "")
    end = target.found(to) if target is not None and to else _Found()
    if end.fault:
        yield end.fault
    if len(found) == 1 and not combined and not patch.transforms:
        yield from _mismatch(sources[0], found[0].node, to, end.node)


def _mismatch(source: str, given: Node | None, target: str, taken: Node | None) -> Iterator[str]:
    if given is None or taken is None or len(given.types) != 1 or len(taken.types) != 1:
        return
    has, wants = given.types[0], taken.types[0]
    if has != wants and not {has, wants} <= _NUMBERS:
        yield f"{source} is {_a(has)} and {target} takes {_a(wants)}: a transform of type convert is missing"


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _walked(side: _Side, segments: Segments) -> _Found:
    first = segments[0] if segments else ""
    if first in {"apiVersion", "kind"}:
        return _Found()
    if first == "metadata":
        known = len(segments) == 1 or segments[1] in _METADATA
        return _Found() if known else _Found(f"{text_of(segments)} is no field of the metadata of any object")
    node: Node | None = side.root
    for at, segment in enumerate(segments):
        if node is None or node.preserve or not (node.type or node.properties):
            return _Found()
        inner = _below(node, segment)
        if isinstance(inner, str):
            return _Found(f"{text_of(segments[: at + 1])} is no field of {side.kind}{inner}")
        node = inner
    return _Found(node=node)


def _below(node: Node, segment: str | int) -> Node | str | None:
    """The schema one step further down, None where anything may be; else what to say about it."""
    if isinstance(segment, int) or segment == "*":
        if node.type == "array":
            return node.items
        return None if segment == "*" else f": it is {_a(node.type)}, not a list"
    if segment in node.properties:
        return node.properties[segment]
    if node.additional_set and node.additional_allowed:
        return node.additional
    if node.type != "object":
        return f": {_a(node.type)} has no fields"
    close = get_close_matches(segment, node.properties, 1)
    return f"; did you mean {close[0]}?" if close else ""
