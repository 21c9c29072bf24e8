"""Compositions: what each composite or claim in the files will have outside, and what a Composition without one could."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.kube.fieldpath import Segments
from plumbline.kube.names import GroupKind, GroupVersion
from plumbline.kube.object import Object
from plumbline.ownership.declared.files import Unread
from plumbline.ownership.declared.manifests import Manifest, Path
from plumbline.ownership.declared.patches import inlined, patched
from plumbline.ownership.external import Partial, camel, rule_of_kind, type_of_kind
from plumbline.ownership.learn.composed import CLAIM_NAME, CLAIM_NAMESPACE
from plumbline.ownership.learn.managed import EXTERNAL_NAME, Naming, named_by, naming_of, writes
from plumbline.ownership.values import Claim, Owner, Source

APIEXTENSIONS: Final = "apiextensions.crossplane.io"
_PATCH_AND_TRANSFORM: Final = "pt.fn.crossplane.io"
_BESIDE: Final = frozenset({"auto-ready", "environment-configs", "sequencer", "status-transformer", "tag-manager"})
"""Functions by a part of their names that compose nothing themselves."""
_EXTERNAL_NAME: Final[Segments] = ("metadata", "annotations", EXTERNAL_NAME)


class Template(NamedTuple):
    """One composed resource of a Composition."""

    base: JsonObject
    patches: tuple[JsonObject, ...]
    line: int
    """Of the field that names the thing, or the nearest to it."""


class Composition(NamedTuple):
    manifest: Manifest
    composes: GroupKind
    templates: tuple[Template, ...]


class Definitions(NamedTuple):
    """What XRDs in the files say: the composite kind of each claim kind, and back."""

    composite_of_claim: Mapping[GroupKind, GroupKind]
    chosen: Mapping[GroupKind, str]
    """The Composition that a definition enforces or takes by default."""


def definitions(manifests: Iterable[Manifest]) -> Definitions:
    claims: dict[GroupKind, GroupKind] = {}
    chosen: dict[GroupKind, str] = {}
    for manifest in manifests:
        if manifest.kind != GroupKind(APIEXTENSIONS, "CompositeResourceDefinition"):
            continue
        spec = Object(manifest.obj).spec
        group = str(spec.get("group") or "")
        composite = GroupKind(group, str(_at(spec, "names", "kind") or ""))
        if claim := _at(spec, "claimNames", "kind"):
            claims[GroupKind(group, str(claim))] = composite
        name = _at(spec, "enforcedCompositionRef", "name") or _at(spec, "defaultCompositionRef", "name")
        if isinstance(name, str):
            chosen[composite] = name
    return Definitions(claims, chosen)


def compositions(manifests: Iterable[Manifest]) -> tuple[list[Composition], list[Unread]]:
    found: list[Composition] = []
    unread: list[Unread] = []
    for manifest in manifests:
        if manifest.kind != GroupKind(APIEXTENSIONS, "Composition"):
            continue
        spec = Object(manifest.obj).spec
        version, kind = _at(spec, "compositeTypeRef", "apiVersion"), _at(spec, "compositeTypeRef", "kind")
        composes = GroupKind(GroupVersion.parse(str(version or "")).group, str(kind or ""))
        found.append(Composition(manifest, composes, tuple(_templates(manifest, spec))))
        unread += _not_followed(manifest, spec)
    return found, unread


def composed_claims(
    available: Sequence[Composition], composites: Sequence[tuple[Manifest, Owner]], defined: Definitions
) -> Iterator[Claim]:
    """What each composite or claim makes by the Composition it will get; what Compositions without any could make.

    *composites* are all objects in the files that might be some, with the owner that each would be.
    """
    used: set[str] = set()
    for manifest, owner in composites:
        kind = defined.composite_of_claim.get(manifest.kind, manifest.kind)
        composition = _chosen(manifest, [each for each in available if each.composes == kind], defined.chosen.get(kind))
        if composition is None:
            continue
        used.add(composition.manifest.ref.name)
        root = _as_composite(manifest, is_claim=manifest.kind in defined.composite_of_claim)
        yield from _claims(composition, owner, root, manifest.path)
    for composition in available:
        if composition.manifest.ref.name not in used:
            owner = Owner.of("composition", composition.manifest.ref)
            yield from _claims(composition, owner, None, "")


def _claims(composition: Composition, owner: Owner, composite: JsonObject | None, by: str) -> Iterator[Claim]:
    manifest = composition.manifest
    for template in composition.templates:
        view = Object(template.base)
        if not type_of_kind(view.group_kind) or not writes(view.spec):
            continue
        naming = _naming(view, patched(template.patches, composite))
        said = f"composed for {by} by Composition {manifest.ref.name}" if by else f"composed by {manifest.ref.name}"
        yield Claim(named_by(naming), owner, Source(manifest.path, template.line, said=said))


def _naming(view: Object, values: Mapping[Segments, Any]) -> Naming:
    """The naming of a base once patches have been applied."""
    naming = naming_of(view)._replace(address=f"{view.kind} in the template")
    rule = rule_of_kind(view.group_kind)
    names = rule.names if rule else ("name",)
    written = dict(naming.written)
    for field in (*map(camel, names), "region", "location", "project"):
        value = values.get(("spec", "forProvider", field))
        if value is not None:
            written[field] = value if isinstance(value, str) else Partial(getattr(value, "pattern", "*"))
    external_name = values.get(_EXTERNAL_NAME, naming.external_name)
    # The base's own name is not used: composed objects get generated ones unless a patch sets one.
    name = values.get(("metadata", "name"), "")
    return naming._replace(written=written, external_name=external_name, name=name)


def _naming_field(base: JsonObject) -> Path:
    rule = rule_of_kind(Object(base).group_kind)
    if rule is None or rule.external_name:
        return ("metadata", "annotations", EXTERNAL_NAME)
    return ("spec", "forProvider", camel(rule.names[0])) if rule.names else ()


def _templates(manifest: Manifest, spec: JsonObject) -> Iterator[Template]:
    yield from _of_resources(manifest, spec, ("spec",))
    for at, step in enumerate(_items(spec.get("pipeline"))):
        given = step.get("input")
        if isinstance(given, dict) and str(given.get("apiVersion", "")).startswith(f"{_PATCH_AND_TRANSFORM}/"):
            yield from _of_resources(manifest, given, ("spec", "pipeline", at, "input"))


def _of_resources(manifest: Manifest, holder: JsonObject, path: Path) -> Iterator[Template]:
    for at, entry in enumerate(_items(holder.get("resources"))):
        base = entry.get("base")
        if isinstance(base, dict):
            patches = tuple(inlined(entry.get("patches"), holder.get("patchSets")))
            line = manifest.line_of((*path, "resources", at, "base", *_naming_field(base)))
            yield Template(base, patches, line)


def _not_followed(manifest: Manifest, spec: JsonObject) -> Iterator[Unread]:
    for at, step in enumerate(_items(spec.get("pipeline"))):
        given = step.get("input")
        version = str(given.get("apiVersion", "")) if isinstance(given, dict) else ""
        function = str(_at(step, "functionRef", "name") or "")
        if version.startswith(f"{_PATCH_AND_TRANSFORM}/") or any(each in function for each in _BESIDE):
            continue
        why = f"what the function {function or 'of this step'} composes is known only when it runs"
        yield Unread(manifest.path, why, manifest.line_of(("spec", "pipeline", at)))


def _chosen(manifest: Manifest, fitting: list[Composition], by_definition: str | None) -> Composition | None:
    spec = Object(manifest.obj).spec
    machinery = spec.get("crossplane") if isinstance(spec.get("crossplane"), dict) else spec
    by_ref = _at(machinery, "compositionRef", "name")
    labels = _at(machinery, "compositionSelector", "matchLabels")
    if isinstance(by_ref, str) or by_definition:
        wanted = by_ref if isinstance(by_ref, str) else by_definition
        return next((each for each in fitting if each.manifest.ref.name == wanted), None)
    if isinstance(labels, dict):
        fitting = [each for each in fitting if labels.items() <= Object(each.manifest.obj).labels.items()]
    return fitting[0] if len(fitting) == 1 else None


def _as_composite(manifest: Manifest, *, is_claim: bool) -> JsonObject:
    """A claim as the composite that will be made for it: same spec, another name, and labels that name the claim."""
    if not is_claim:
        return manifest.obj
    view = Object(manifest.obj)
    labels = {**view.labels, CLAIM_NAME: view.name, CLAIM_NAMESPACE: view.namespace or Partial()}
    metadata = {**view.metadata, "name": Partial(f"{view.name}-*"), "labels": labels}
    return {**manifest.obj, "metadata": metadata}


def _at(value: Json, *steps: str) -> Json:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _items(value: Json) -> list[JsonObject]:
    return [each if isinstance(each, dict) else {} for each in value] if isinstance(value, list) else []
