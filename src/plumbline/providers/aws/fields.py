"""What a table means once its fields are held against botocore's models: made when the kind is first used."""

import functools
from typing import Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.managed.kinds import Schema
from plumbline.providers.aws import models
from plumbline.providers.aws.models import Shape
from plumbline.providers.aws.names import member_name, shape_at
from plumbline.providers.aws.shapes import openapi
from plumbline.providers.aws.table import Table, Update

_STRINGS: Final[JsonObject] = {"type": "object", "additionalProperties": {"type": "string"}}
_SECRET_KEY: Final[JsonObject] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "namespace": {"type": "string"}, "key": {"type": "string"}},
    "required": ["name", "key"],
}


class Field(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    member: str
    shape: Shape | None
    """None where AWS keeps it as a string among attributes."""
    found: str
    fixed: bool
    read: bool


class Known(msgspec.Struct, frozen=True):
    """A table with its fields looked up."""

    table: Table
    fields: dict[str, Field]


@functools.cache
def known(table: Table) -> Known:
    fixed, unread = frozenset(table.fixed.split()), frozenset(table.unread.split())
    fields: dict[str, Field] = {}
    for name in table.fields:
        member, shape = _member(table, name)
        fields[name] = Field(
            name=name, member=member, shape=shape, found=table.found.get(name, member), fixed=name in fixed, read=name not in unread
        )  # fmt: skip
    return Known(table, fields)


def _member(table: Table, name: str) -> tuple[str, Shape | None]:
    said = table.names.get(name)
    creations = (table.create, *table.variants.values())
    for operation in (*(call.operation for call in creations), *(update.operation for update in table.updates)):
        request = models.request(table.service, operation)
        member = said or member_name(name, request)
        shape = shape_at(request, member) if member else None
        if member is not None and shape is not None:
            return member, shape
    return said or name[0].upper() + name[1:], None


def covers(table: Table, update: Update, name: str) -> bool:
    """Whether *update* is what changes *name*."""
    if update.fields:
        return name in update.fields.split()
    if name in table.fixed.split():
        return False
    if name in update.built.split():
        return True
    return bool(update.within or update.form == "each" or name in table.codecs or place(table, update, name))


def place(table: Table, update: Update, name: str) -> str:
    """The member that *name* is in the request of *update*; empty where it is none."""
    request = models.request(table.service, update.operation)
    member = update.names.get(name) or table.names.get(name) or member_name(name, request)
    return member if member and shape_at(request, member) is not None else ""


def schema(table: Table) -> Schema:
    """OpenAPI of both parts, from the shapes of requests; enumerations are AWS's business."""
    for_provider: JsonObject = {name: _field_schema(table, field) for name, field in known(table).fields.items()}
    for name in (*table.local.split(), *([table.key.field] if table.key.field else [])):
        for_provider.setdefault(name, _plain(table, name))
    at_provider: JsonObject = dict(for_provider)
    for name in table.extra:
        at_provider.setdefault(name, {"x-kubernetes-preserve-unknown-fields": True})
    for name in ("arn", "id") if table.arn or table.arn_form else ("id",):
        at_provider[name] = {"type": "string"}
    if table.tags is not None:
        for_provider["tags"] = at_provider["tags"] = at_provider["tagsAll"] = _STRINGS
    references = [*table.secrets, *([table.master.reference] if table.master else [])]
    for name in references:
        for_provider[name] = _SECRET_KEY
    if table.master is not None:
        for_provider[table.master.switch] = at_provider[table.master.switch] = {"type": "boolean"}
    for generated in table.generates:
        for_provider[generated.switch] = {"type": "boolean"}
    if table.regional:
        for_provider["region"] = at_provider["region"] = {"type": "string"}
    return Schema(
        for_provider={"type": "object", "properties": for_provider},
        at_provider={"type": "object", "properties": at_provider},
        required=(*(["region"] if table.regional else []), *table.required.split()),
    )


def _field_schema(table: Table, field: Field) -> JsonObject:
    if field.name in table.codecs:
        return table.codecs[field.name].schema
    if field.shape is None:
        return _plain(table, field.name)
    return openapi(field.shape, table.names, field.name, loose=table.loose)


def _plain(table: Table, name: str) -> JsonObject:
    """The schema of a field that no shape describes."""
    if name in table.maps.split():
        return {"x-kubernetes-preserve-unknown-fields": True}
    if name in table.texts.split():
        return {"type": "array", "items": {"type": "string"}}
    if name in table.numbers.split():
        return {"type": "number"}
    return {"type": "boolean" if name in table.switches.split() else "string"}


def snake(name: str) -> str:
    """A field as Terraform spells it, which keys of connection Secrets do."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
