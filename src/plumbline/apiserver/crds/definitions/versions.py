"""What a version says besides its schema: subresources, columns, fields to select by, and its end."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.crds.definitions.options import MOST_SELECTABLE, Options
from plumbline.apiserver.crds.definitions.reading import mapping, sequence, text
from plumbline.apiserver.crds.fieldpaths import schema_path
from plumbline.apiserver.crds.structural import compiled_schema
from plumbline.apiserver.fielderrors import FieldError, duplicate, invalid, required, too_many
from plumbline.base.errors import BadFieldPath
from plumbline.base.json import Json, JsonObject

_COLUMN_TYPES: Final = "boolean,date,integer,number,string"
_COLUMN_FORMATS: Final = "byte,date,date-time,double,float,int32,int64,password"
_LONGEST_WARNING: Final = 256


def subresource_errors(subresources: Json, path: str) -> Iterator[FieldError]:
    scale = mapping(subresources).get("scale")
    if not isinstance(scale, dict):
        return
    for name, parent in (("specReplicasPath", "spec"), ("statusReplicasPath", "status")):
        place, written = f"{path}.scale.{name}", text(scale, name)
        if not written:
            yield required(place)
        elif not written.startswith("."):
            yield invalid(place, written, "must be a simple json path starting with .")
        elif not written.startswith(f".{parent}."):
            yield invalid(place, written, f"should be a json path under .{parent}")
    selector, place = text(scale, "labelSelectorPath"), f"{path}.scale.labelSelectorPath"
    if selector and not selector.startswith("."):
        yield invalid(place, selector, "must be a simple json path starting with .")
    elif selector and not selector.startswith((".spec.", ".status.")):
        yield invalid(place, selector, "should be a json path under either .spec or .status")


def column_errors(columns: Json, path: str) -> Iterator[FieldError]:
    for index, each in enumerate(sequence(columns)):
        column, place = mapping(each), f"{path}[{index}]"
        if not text(column, "name"):
            yield required(f"{place}.name")
        kind, form, at = text(column, "type"), text(column, "format"), text(column, "jsonPath")
        if not kind:
            yield required(f"{place}.type", f"must be one of {_COLUMN_TYPES}")
        elif kind not in _COLUMN_TYPES.split(","):
            yield invalid(f"{place}.type", kind, f"must be one of {_COLUMN_TYPES}")
        if form and form not in _COLUMN_FORMATS.split(","):
            yield invalid(f"{place}.format", form, f"must be one of {_COLUMN_FORMATS}")
        if not at:
            yield required(f"{place}.JSONPath")
        elif not at.startswith("."):
            yield invalid(f"{place}.JSONPath", at, "must be a simple json path starting with .")


def selectable_errors(
    fields: Json, schema: JsonObject | None, path: str, options: Options, *, version: str = ""
) -> Iterator[FieldError]:
    root = compiled_schema(schema)
    seen: set[str] = set()
    for index, each in enumerate(sequence(fields)):
        place, written = f"{path}[{index}].jsonPath", text(mapping(each), "jsonPath")
        if not written:
            yield required(place)
            continue
        try:
            found = schema_path(written, root, brackets=False)
        except BadFieldPath as bad:
            yield invalid(place, written, f"is an invalid path: {bad.what}")
            continue
        if found.names[0] == "metadata":
            yield invalid(place, written, "must not point to fields in metadata")
        if found.node.type not in {"string", "boolean", "integer"}:
            said = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
            yield invalid(place, written, said)
        if found.text in seen:
            yield duplicate(place, written)
        seen.add(found.text)
    if len(seen) > MOST_SELECTABLE and version not in options.crowded:
        yield too_many(path, len(seen), MOST_SELECTABLE)


def deprecation_errors(version: JsonObject, path: str) -> Iterator[FieldError]:
    warning = version.get("deprecationWarning")
    if not isinstance(warning, str):
        return
    place = f"{path}.deprecationWarning"
    if version.get("deprecated") is not True:
        yield invalid(place, warning, "can only be set for deprecated versions")
        return
    if len(warning.encode()) > _LONGEST_WARNING:
        yield invalid(place, warning, "must be <= 256 characters long")
    if not warning:
        yield invalid(place, warning, "must not be an empty string")
    at = 0
    for char in warning:
        if not char.isprintable():
            said = "must only contain printable UTF-8 characters; non-printable character found at index"
            yield invalid(place, warning, f"{said} {at}")
            return
        at += len(char.encode())
