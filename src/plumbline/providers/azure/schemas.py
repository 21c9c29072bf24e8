"""OpenAPI of a kind, from its table.

Fields that are an object in one version of the CRD and a list of one in another have no type: both are taken in both, and
what is inside is checked when it is used.
"""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.managed.kinds import Schema
from plumbline.providers.azure.tables import Table, reported, tree
from plumbline.providers.rest.types import schema_of

_ANYTHING: Final[JsonObject] = {"x-kubernetes-preserve-unknown-fields": True}
_STRING: Final[JsonObject] = {"type": "string"}
_BOOLEAN: Final[JsonObject] = {"type": "boolean"}
_SECRET_KEY: Final[JsonObject] = {
    "type": "object",
    "properties": {"name": _STRING, "namespace": _STRING, "key": _STRING},
    "required": ["key", "name"],
}


def schema(table: Table) -> Schema:
    root = tree(table)
    address = {name: _STRING for name in (*table.parents, table.named_by) if name}
    tags: JsonObject = {"tags": schema_of("{}string")} if table.tagged else {}
    fields: JsonObject = {
        **address,
        **{field.name: schema_of(field.type) for field in root.fields},
        **{child.name: _ANYTHING for child in root.nodes},
        **tags,
    }
    own = {
        **{secret.field: _SECRET_KEY for secret in table.secrets},
        **{name: schema_of(kind) for name, kind in table.local.items()},
        **dict.fromkeys(table.refused, _STRING),
    }
    found = {"id": _STRING, **{field.name: schema_of(field.type) for field in reported(table)}}
    return Schema(
        for_provider={"type": "object", "properties": {**fields, **own}},
        at_provider={"type": "object", "properties": {**fields, **found}, **_ANYTHING},
        required=table.required,
    )


def config_schema() -> JsonObject:
    """The spec of a ProviderConfig."""
    credentials: JsonObject = {
        "type": "object",
        "properties": {
            "source": {"type": "string", "enum": list(SOURCES)},
            "secretRef": _SECRET_KEY,
            "env": {"type": "object", "properties": {"name": _STRING}, "required": ["name"]},
            "fs": {"type": "object", "properties": {"path": _STRING}, "required": ["path"]},
        },
        "required": ["source"],
    }
    restarts: JsonObject = {"type": "object", "properties": {"restartServerOnConfigurationValueChange": _BOOLEAN}}
    texts = ("clientID", "subscriptionID", "tenantID", "msiEndpoint", "environment", "oidcTokenFilePath")
    return {
        "type": "object",
        "properties": {
            "credentials": credentials,
            **dict.fromkeys(texts, _STRING),
            "storageUseAzureAD": _BOOLEAN,
            "features": {"type": "object", "properties": {"postgreSQLFlexibleServer": restarts}},
        },
        "required": ["credentials"],
    }


SOURCES: Final = (
    "None",
    "Secret",
    "UserAssignedManagedIdentity",
    "SystemAssignedManagedIdentity",
    "OIDCTokenFile",
    "Upbound",
    "Filesystem",
)
