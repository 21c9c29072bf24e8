"""Whether the schema of a version may be served."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.crds.definitions.defaults import default_errors
from plumbline.apiserver.crds.definitions.openapi import openapi_errors
from plumbline.apiserver.crds.definitions.options import Options
from plumbline.apiserver.crds.definitions.reading import flag, mapping, text
from plumbline.apiserver.crds.definitions.shown import SCHEMA_FIELDS, shown_schema
from plumbline.apiserver.crds.definitions.structure import check_readable, structural_errors
from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject

_AT_ROOT: Final = (
    "Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum", "MaxLength",
    "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items", "Properties",
    "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations",
)  # fmt: skip


def schema_holder_errors(holder: Json, path: str, options: Options, *, status: bool) -> list[FieldError]:
    """Errors of a version's `schema`, or of the one for all; *status* says that there is a status subresource."""
    schema = mapping(holder).get("openAPIV3Schema")
    if not isinstance(schema, dict):
        return []
    place = f"{path}.openAPIV3Schema"
    errors = list(_root_errors(schema, place)) if status else []
    if flag(schema, "nullable"):
        errors.append(forbidden(f"{place}.nullable", "nullable cannot be true at the root"))
    unreadable = ""
    sound = False
    if options.structural:
        try:
            check_readable(schema)
        except SchemaViolation as bad:
            unreadable = bad.what
        else:
            wrong = structural_errors(schema, place) or default_errors(
                schema, place, pruned_defaults=options.pruned_defaults
            )
            errors += wrong
            sound = not wrong
    errors += openapi_errors(schema, place, options, compiles=sound)
    return errors or ([invalid(place, "", unreadable)] if unreadable else [])


def _root_errors(schema: JsonObject, path: str) -> Iterator[FieldError]:
    """With a status subresource the root may only say what is not lost when status is taken out of it."""
    for name, (title, empty) in SCHEMA_FIELDS.items():
        value = schema.get(name)
        if value is None or value == empty or value in ({}, []):
            continue
        if name == "type":
            if text(schema, "type") != "object":
                said = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
                yield invalid(f"{path}.type", value, said)
                return
        elif title not in _AT_ROOT:
            allowed = " ".join(_AT_ROOT)
            said = f"only [{allowed}] fields are allowed at the root of the schema if the status subresource is enabled"
            yield invalid(path, shown_schema(schema), said)
            return
