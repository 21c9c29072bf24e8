"""How strict validation is. What an existing CRD gets wrong already, its updates may go on getting wrong."""

from dataclasses import dataclass
from typing import Final

from plumbline.apiserver.crds.definitions.bundles import readable_ca_bundle
from plumbline.apiserver.crds.definitions.defaults import unpruned_defaults
from plumbline.apiserver.crds.definitions.lifted import Lifted, lifted
from plumbline.apiserver.crds.definitions.lists import non_atomic_set, unkeyed_map_errors
from plumbline.apiserver.crds.definitions.reading import anywhere, condition_true, mapping, sequence, text
from plumbline.apiserver.crds.definitions.structure import check_readable, structural_errors
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import JsonObject
from plumbline.kube.equality import identical

OPENAPI_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
REVIEW_VERSIONS: Final = ("v1", "v1beta1")
MOST_SELECTABLE: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    schemas_everywhere: bool = True
    known_types: bool = True
    structural: bool = True
    pruned_defaults: bool = True
    atomic_sets: bool = True
    keyed_maps: bool = True
    known_reviews: bool = True
    fixed_names: bool = False
    any_ca_bundle: bool = True
    any_cost: bool = False
    """The schema did not change, so that its rules are not too expensive all of a sudden."""
    unchanged: frozenset[str] = frozenset()
    """Versions whose schema did not change."""
    crowded: frozenset[str] = frozenset()
    """Versions, and "" for all of them, that had too many selectable fields before."""


def options_for_update(new: JsonObject, old: JsonObject) -> Options:
    held = lifted(old)
    conversion = mapping(held.spec.get("conversion"))
    webhook = mapping(conversion.get("webhook"))
    reviews = sequence(webhook.get("conversionReviewVersions"))
    bundle = text(mapping(webhook.get("clientConfig")), "caBundle")
    established = condition_true(old, "Established")
    return Options(
        schemas_everywhere=_schemas_everywhere(held),
        known_types=not any(anywhere(schema, _unknown_type) for schema in held.schemas),
        structural=not any(map(non_structural, held.schemas)),
        pruned_defaults=not any(map(unpruned_defaults, held.schemas)),
        atomic_sets=not any(anywhere(schema, non_atomic_set) for schema in held.schemas),
        keyed_maps=not any(
            anywhere(schema, lambda each: bool(unkeyed_map_errors(each, ""))) for schema in held.schemas
        ),
        known_reviews=not reviews or any(each in REVIEW_VERSIONS for each in reviews),
        fixed_names=established,
        any_ca_bundle=not established or (bool(bundle) and not readable_ca_bundle(bundle)),
        unchanged=_unchanged(new, old),
        crowded=_crowded(lifted(new), held),
    )


def _unchanged(new: JsonObject, old: JsonObject) -> frozenset[str]:
    before = {
        text(version, "name"): version for version in map(mapping, sequence(mapping(old.get("spec")).get("versions")))
    }
    return frozenset(
        text(version, "name")
        for version in map(mapping, sequence(mapping(new.get("spec")).get("versions")))
        if text(version, "name") in before
        and identical(version.get("schema"), before[text(version, "name")].get("schema"))
    )


def non_structural(schema: JsonObject) -> bool:
    try:
        check_readable(schema)
    except SchemaViolation:
        return True
    return bool(structural_errors(schema, ""))


def _unknown_type(schema: JsonObject) -> bool:
    kind = text(schema, "type")
    return bool(kind) and kind not in OPENAPI_TYPES


def _schemas_everywhere(held: Lifted) -> bool:
    if has_schema(held.shared):
        return True
    return all(map(has_schema, held.versions))


def has_schema(holder: object) -> bool:
    return isinstance(mapping(mapping(holder).get("schema")).get("openAPIV3Schema"), dict)


def _crowded(new: Lifted, old: Lifted) -> frozenset[str]:
    found = set()
    if _many(old.shared) and identical(new.shared.get("selectableFields"), old.shared.get("selectableFields")):
        found.add("")
    before = {text(version, "name"): version for version in old.versions}
    for version in new.versions:
        was = before.get(text(version, "name"), {})
        if _many(was) and identical(version.get("selectableFields"), was.get("selectableFields")):
            found.add(text(version, "name"))
    return frozenset(found)


def _many(holder: object) -> bool:
    return len(sequence(mapping(holder).get("selectableFields"))) > MOST_SELECTABLE
