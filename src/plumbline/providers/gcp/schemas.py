"""OpenAPI of a kind, from its table and the facts.

Fields that are an object in one version of the CRD and a list of one in another have no type: both are taken in both, and
what is inside is checked when it is used.
"""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.managed.kinds import Schema
from plumbline.providers.gcp.tables import Table, reported, tree
from plumbline.providers.rest.fields import Node
from plumbline.providers.rest.types import schema_of

_ANYTHING: Final[JsonObject] = {"x-kubernetes-preserve-unknown-fields": True}
_SECRET_KEY: Final[JsonObject] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "namespace": {"type": "string"}, "key": {"type": "string"}},
    "required": ["key", "name"],
}


def schema(table: Table) -> Schema:
    root = tree(table)
    address = {name: {"type": table.parent_types.get(name, "string")} for name in ("project", *table.parents)}
    secrets = {secret.field: _SECRET_KEY for secret in table.secrets if "." not in secret.field}
    local = {name: _ANYTHING if kind == "object" else {"type": kind} for name, kind in table.local.items()}
    fields = _properties(root)
    found = {"id": {"type": "string"}, **{field.name: schema_of(field.type) for field in reported(table)}}
    return Schema(
        for_provider={"type": "object", "properties": {**address, **fields, **local, **secrets}},
        at_provider={"type": "object", "properties": {**address, **fields, **found}, **_ANYTHING},
        required=table.required,
    )


def _properties(node: Node) -> JsonObject:
    fields: JsonObject = {
        field.name: {"type": "string"} if field.says is not None else schema_of(field.type) for field in node.fields
    }
    for child in node.nodes:
        items = {"type": "object", "properties": _properties(child)}
        fields[child.name] = {"type": "array", "items": items} if child.many else _ANYTHING
    return fields


def config_schema() -> JsonObject:
    """The spec of a ProviderConfig."""
    name: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    path: JsonObject = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    credentials: JsonObject = {
        "type": "object",
        "properties": {
            "source": {"type": "string", "enum": list(SOURCES)},
            "secretRef": {**_SECRET_KEY, "required": ["key", "name"]},
            "env": name,
            "fs": path,
            "impersonateServiceAccount": name,
            "upbound": {"type": "object", **_ANYTHING},
        },
        "required": ["source"],
    }
    return {
        "type": "object",
        "properties": {
            "projectID": {"type": "string"},
            "credentials": credentials,
            "billingProject": {"type": "string"},
            "userProjectOverride": {"type": "boolean"},
        },
        "required": ["credentials", "projectID"],
    }


SOURCES: Final = (
    "None",
    "Secret",
    "AccessToken",
    "ImpersonateServiceAccount",
    "InjectedIdentity",
    "Environment",
    "Filesystem",
    "Upbound",
)
