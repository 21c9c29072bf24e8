"""OpenAPI of the kinds: fields, defaults and bounds as upstream's CRDs have them."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.managed.kinds import Schema
from plumbline.providers.sql.credentials import SOURCE, SSL_MODES

_STRING: Final = {"type": "string"}
_BOOLEAN: Final = {"type": "boolean"}
_STRINGS: Final = {"type": "array", "items": _STRING}
_IDENTIFIERS: Final = {"type": "array", "items": {"type": "string", "pattern": "^[a-zA-Z_][a-zA-Z0-9_$]*$"}}
_PRIVILEGES: Final = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "string", "pattern": "^[A-Z]+( [A-Z]+)*$"},
}
_OPTION: Final = {"type": "string", "enum": ["ADMIN", "GRANT"]}
_PARAMETERS: Final = {"type": "array", "items": {"type": "object", "properties": {"name": _STRING, "value": _STRING}}}


def _object(properties: JsonObject, *required: str) -> JsonObject:
    made: JsonObject = {"type": "object", "properties": properties}
    return {**made, "required": list(required)} if required else made


def database() -> Schema:
    found = {
        "owner": _STRING,
        "encoding": _STRING,
        "lcCollate": _STRING,
        "lcCType": _STRING,
        "tablespace": _STRING,
        "allowConnections": _BOOLEAN,
        "connectionLimit": {"type": "integer"},
        "isTemplate": _BOOLEAN,
    }
    wanted = {**found, "template": _STRING, "strategy": {"type": "string", "enum": ["WAL_LOG", "FILE_COPY"]}}
    return Schema(_object(wanted), _object(found))


def role() -> Schema:
    privileges = ("superUser", "createDb", "createRole", "login", "inherit", "replication", "bypassRls")
    wanted = {
        "connectionLimit": {"type": "integer", "format": "int32", "minimum": -1},
        "privileges": _object(dict.fromkeys(privileges, _BOOLEAN)),
        "passwordSecretRef": _object(dict.fromkeys(("name", "namespace", "key"), _STRING), "name", "namespace", "key"),
        "configurationParameters": _PARAMETERS,
        "passwordRotationTrigger": {"type": "string", "format": "date-time"},
    }
    found = {
        "privilegesAsClauses": _STRINGS,
        "configurationParameters": _PARAMETERS,
        "lastPasswordChange": {"type": "string", "format": "date-time"},
    }
    return Schema(_object(wanted), _object(found))


def grant() -> Schema:
    routine = {"name": {"type": "string", "pattern": "^[a-zA-Z_][a-zA-Z0-9_$]*$"}, "args": _STRINGS}
    fields = {
        "role": _STRING,
        "memberOf": _STRING,
        "database": _STRING,
        "schema": _STRING,
        "privileges": _PRIVILEGES,
        "withOption": _OPTION,
        "withInherit": _BOOLEAN,
        "revokePublicOnDb": {"type": "boolean", "default": False},
        "tables": _IDENTIFIERS,
        "columns": _IDENTIFIERS,
        "sequences": _IDENTIFIERS,
        "routines": {"type": "array", "items": _object(routine)},
        "foreignServers": _IDENTIFIERS,
        "foreignDataWrappers": _IDENTIFIERS,
    }
    rule = {
        "rule": "!has(self.withInherit) || has(self.memberOf) || has(self.memberOfRef) || has(self.memberOfSelector)",
        "message": "withInherit may only be set on memberOf grants",
    }
    granted = {**fields, "revokePublicOnDb": _BOOLEAN}
    return Schema({**_object(fields), "x-kubernetes-validations": [rule]}, _object({"granted": _object(granted)}))


def schema() -> Schema:
    wanted = {
        "role": _STRING,
        "database": _STRING,
        "revokePublicOnSchema": {"type": "boolean", "default": False},
        "dropBehavior": {"type": "string", "enum": ["CASCADE", "RESTRICT"], "default": "RESTRICT"},
    }
    return Schema(_object(wanted), _object({"role": _STRING}))


def extension() -> Schema:
    wanted = {"extension": _STRING, "version": _STRING, "schema": _STRING, "database": _STRING}
    found = {"version": _STRING, "schema": _STRING}
    return Schema(_object(wanted), _object(found), required=("extension",))


def default_privileges() -> Schema:
    wanted = {
        "role": _STRING,
        "targetRole": _STRING,
        "objectType": {"type": "string", "enum": ["table", "sequence", "function", "schema", "type"]},
        "privileges": _PRIVILEGES,
        "withOption": _OPTION,
        "database": _STRING,
        "schema": _STRING,
    }
    rules = [
        {
            "rule": "!has(self.objectType) || self.objectType == 'schema' || has(self.schema)",
            "message": "schema is required when objectType is not schema",
        },
        {
            "rule": "!has(self.objectType) || self.objectType != 'schema' || !has(self.schema)",
            "message": "schema must not be set when objectType is schema",
        },
    ]
    return Schema(
        {**_object(wanted), "x-kubernetes-validations": rules},
        _object({"privileges": _STRINGS}),
        required=("targetRole", "objectType"),
    )


def provider_config() -> JsonObject:
    keys = dict.fromkeys(("endpoint", "port", "username", "password"), _STRING)
    credentials = {
        "source": {"type": "string", "enum": [SOURCE]},
        "connectionSecretRef": _object({"name": _STRING, "namespace": _STRING}, "name"),
        "secretKeyMapping": _object(keys),
    }
    fields = {
        "credentials": _object(credentials, "source"),
        "defaultDatabase": {"type": "string", "default": "postgres"},
        "sslMode": {"type": "string", "enum": list(SSL_MODES), "default": "verify-full"},
    }
    return _object(fields, "credentials")
