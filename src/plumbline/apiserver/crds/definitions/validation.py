"""Whether a CustomResourceDefinition may be written."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from plumbline.apiserver.crds.definitions.lifted import Lifted, lifted
from plumbline.apiserver.crds.definitions.naming import approval_errors, name_errors
from plumbline.apiserver.crds.definitions.options import Options, has_schema, options_for_update
from plumbline.apiserver.crds.definitions.reading import mapping, sequence, text
from plumbline.apiserver.crds.definitions.schemas import schema_holder_errors
from plumbline.apiserver.crds.definitions.shown import shown_versions
from plumbline.apiserver.crds.definitions.versions import (
    column_errors,
    deprecation_errors,
    selectable_errors,
    subresource_errors,
)
from plumbline.apiserver.crds.definitions.webhooks import conversion_errors
from plumbline.apiserver.fielderrors import FieldError, invalid, not_supported, required
from plumbline.apiserver.validation.metadata import IMMUTABLE, object_meta_errors, object_meta_update_errors
from plumbline.apiserver.validation.names import dns_1035_label, dns_subdomain, subdomain_name
from plumbline.base.json import Json, JsonObject

_SCOPES: Final = ("Cluster", "Namespaced")


def definition_errors(crd: JsonObject, old: JsonObject | None = None) -> list[FieldError]:
    """What is wrong with *crd*, which is new, or was *old* before. Its defaults are already filled in."""
    held = lifted(crd)
    options = Options() if old is None else options_for_update(crd, old)
    if old is None:
        errors = _new_metadata_errors(crd, held.spec)
    else:
        errors = object_meta_update_errors(crd.get("metadata"), old.get("metadata"))
    errors += _spec_errors(held, options)
    if old is not None:
        errors += _immutable_errors(held.spec, mapping(old.get("spec")), options)
    status = mapping(crd.get("status"))
    errors += name_errors(status.get("acceptedNames"), "status.acceptedNames")
    errors += _stored_version_errors(status.get("storedVersions"), held)
    errors += approval_errors(crd, old)
    errors += _preserving_errors(held.spec, old)
    return errors


def definition_status_errors(crd: JsonObject, old: JsonObject) -> list[FieldError]:
    """What is wrong with a change of the status alone."""
    errors = object_meta_update_errors(crd.get("metadata"), old.get("metadata"))
    errors += name_errors(mapping(crd.get("status")).get("acceptedNames"), "status.acceptedNames")
    return errors


def _new_metadata_errors(crd: JsonObject, spec: JsonObject) -> list[FieldError]:
    wanted = f"{text(mapping(spec.get('names')), 'plural')}.{text(spec, 'group')}"

    def faults(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - NameFaults
        found = subdomain_name(name, prefix)
        return found if name == wanted else [*found, 'must be spec.names.plural+"."+spec.group']

    return object_meta_errors(crd.get("metadata"), namespaced=False, name_faults=faults)


def _spec_errors(held: Lifted, options: Options) -> Iterator[FieldError]:
    spec = held.spec
    yield from _group_errors(text(spec, "group"))
    scope = text(spec, "scope")
    if not scope:
        yield required("spec.scope")
    elif scope not in _SCOPES:
        yield not_supported("spec.scope", scope, _SCOPES)
    yield from _missing_schema_errors(held, options)
    for index, version in enumerate(held.versions):
        yield from _version_errors(version, f"spec.versions[{index}]", held, options)
    yield from _version_list_errors(held)
    names = mapping(spec.get("names"))
    for name in ("plural", "singular", "kind", "listKind"):
        if not text(names, name):
            yield required(f"spec.names.{name}")
    yield from name_errors(names, "spec.names")
    yield from _shared_errors(held, options)
    yield from conversion_errors(spec.get("conversion"), "spec.conversion", options)


def _group_errors(group: str) -> Iterator[FieldError]:
    if not group:
        yield required("spec.group")
        return
    faults = dns_subdomain(group)
    if faults:
        yield invalid("spec.group", group, ",".join(faults))
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")


def _missing_schema_errors(held: Lifted, options: Options) -> Iterator[FieldError]:
    if has_schema(held.shared):
        return
    for index, version in enumerate(held.versions):
        if has_schema(version):
            continue
        place = f"spec.versions[{index}].schema.openAPIV3Schema"
        if options.schemas_everywhere:
            yield required(place)
        elif version.get("served") is True:
            yield required(place, "because otherwise all fields are pruned")


def _has_status(holder: Json) -> bool:
    return mapping(mapping(holder).get("subresources")).get("status") is not None


def _version_errors(version: JsonObject, path: str, held: Lifted, options: Options) -> Iterator[FieldError]:
    name = text(version, "name")
    faults = dns_1035_label(name)
    if faults:
        yield invalid(f"{path}.name", name, ",".join(faults))
    yield from deprecation_errors(version, path)
    status = _has_status(version) or _has_status(held.shared)
    own = replace(options, any_cost=name in options.unchanged)
    yield from schema_holder_errors(version.get("schema"), f"{path}.schema", own, status=status)
    yield from subresource_errors(version.get("subresources"), f"{path}.subresources")
    yield from column_errors(version.get("additionalPrinterColumns"), f"{path}.additionalPrinterColumns")
    fields = sequence(version.get("selectableFields"))
    if not fields:
        return
    schema = mapping(version.get("schema")).get("openAPIV3Schema")
    if not isinstance(schema, dict):
        said = "may only be set when `version.schema.openAPIV3Schema` is not included"
        yield invalid(f"{path}.selectableFields", "", said)
    else:
        yield from selectable_errors(fields, schema, f"{path}.selectableFields", options, version=name)


def _version_list_errors(held: Lifted) -> Iterator[FieldError]:
    names = [text(version, "name") for version in held.versions]
    if len(set(names)) != len(names):
        yield invalid("spec.versions", shown_versions(held.versions), "must contain unique version names")
    if sum(version.get("storage") is True for version in held.versions) != 1:
        said = "must have exactly one version marked as storage version"
        yield invalid("spec.versions", shown_versions(held.versions), said)
    if names and names[0]:
        faults = dns_1035_label(names[0])
        if faults:
            yield invalid("spec.version", names[0], ",".join(faults))


def _shared_errors(held: Lifted, options: Options) -> Iterator[FieldError]:
    shared = held.shared
    status = _has_status(shared) or any(map(_has_status, held.versions))
    first = text(held.versions[0], "name") if held.versions else ""
    own = replace(options, any_cost=first in options.unchanged)
    yield from schema_holder_errors(shared.get("schema"), "spec.validation", own, status=status)
    yield from subresource_errors(shared.get("subresources"), "spec.subresources")
    yield from column_errors(shared.get("additionalPrinterColumns"), "spec.additionalPrinterColumns")
    fields = sequence(shared.get("selectableFields"))
    if not fields:
        return
    if shared.get("schema") is None:
        said = "may only be set when validations.schema is included"
        yield invalid("spec.selectableFields", "", said)
    else:
        schema = mapping(shared["schema"]).get("openAPIV3Schema")
        yield from selectable_errors(fields, schema, "spec.selectableFields", options)


def _immutable_errors(spec: JsonObject, old: JsonObject, options: Options) -> Iterator[FieldError]:
    names, before = mapping(spec.get("names")), mapping(old.get("names"))
    compared = [
        ("spec.scope", text(spec, "scope"), text(old, "scope"), options.fixed_names),
        ("spec.names.kind", text(names, "kind"), text(before, "kind"), options.fixed_names),
        ("spec.group", text(spec, "group"), text(old, "group"), True),
        ("spec.names.plural", text(names, "plural"), text(before, "plural"), True),
    ]
    for place, now, was, fixed in compared:
        if fixed and now != was:
            yield invalid(place, now, IMMUTABLE)


def _stored_version_errors(stored: Json, held: Lifted) -> Iterator[FieldError]:
    place, names = "status.storedVersions", [str(each) for each in sequence(stored)]
    if not names:
        yield invalid(place, None, "must have at least one stored version")
        return
    declared = [text(version, "name") for version in held.versions]
    for version in held.versions:
        name = text(version, "name")
        if version.get("storage") is True and name not in names:
            yield invalid(place, list(names), f"must have the storage version {name}")
    for index, name in enumerate(names):
        if name not in declared:
            said = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions "
                f"until a storage migration ensures no data remains persisted in {name} and removes {name} from "
                "status.storedVersions"
            )
            yield invalid(f"{place}[{index}]", name, said)


def _preserving_errors(spec: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    if old is not None and mapping(old.get("spec")).get("preserveUnknownFields") is True:
        return
    if spec.get("preserveUnknownFields") is True:
        said = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        yield invalid("spec.preserveUnknownFields", True, said)
