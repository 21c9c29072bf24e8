#!/usr/bin/env python3
"""Derive `facts.json` of the GCP provider from the discovery documents that google-api-python-client ships.

python tools/gcp_facts.py            print it
python tools/gcp_facts.py --write    replace the file in the source tree
"""

import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.providers.gcp.services.every import TABLES

TARGET = Path(__file__).parents[1] / "src" / "plumbline" / "providers" / "gcp" / "facts.json"
_NUMBERS = {"int32", "uint32", "int64", "uint64", "double", "float"}


def document(api: str) -> JsonObject:
    return decode(files("googleapiclient").joinpath(f"discovery_cache/documents/{api}.json").read_bytes())


def methods(resource: JsonObject, prefix: str = "") -> Iterator[tuple[str, JsonObject]]:
    for name, method in resource.get("methods", {}).items():
        yield prefix + name, method
    for name, below in resource.get("resources", {}).items():
        yield from methods(below, f"{prefix}{name}.")


class _Schemas:
    """Those that are reachable from a few, with objects that have no name of their own called by their path."""

    def __init__(self, schemas: JsonObject) -> None:
        self._schemas = schemas
        self.short: dict[str, dict[str, str]] = {}

    def add(self, name: str) -> None:
        if name not in self.short:
            self._define(name, self._schemas[name])

    def _define(self, name: str, schema: JsonObject) -> None:
        fields: dict[str, str] = {}
        self.short[name] = fields
        for field, value in sorted(schema.get("properties", {}).items()):
            fields[field] = self._type(value, f"{name}.{field}")

    def _type(self, value: JsonObject, name: str) -> str:
        if "$ref" in value:
            self.add(value["$ref"])
            return f"#{value['$ref']}"
        if value["type"] == "array":
            return "[]" + self._type(value["items"], name)
        if "additionalProperties" in value:
            return "{}" + self._type(value["additionalProperties"], name)
        if "properties" in value:
            self._define(name, value)
            return f"#{name}"
        if value.get("format") in _NUMBERS:
            return value["format"]
        return {"integer": "int32", "number": "double", "object": "any"}.get(value["type"], value["type"])


def facts() -> JsonObject:
    result: JsonObject = {}
    for api in sorted({table.api for table in TABLES}):
        tables = [table for table in TABLES if table.api == api]
        source = document(api)
        used = {name for table in tables for name in table.methods}
        found = {name: method for name, method in methods(source) if name in used}
        if missing := used - found.keys():
            raise SystemExit(f"{api} has no {', '.join(sorted(missing))}")
        schemas = _Schemas(source["schemas"])
        for name in [table.resource for table in tables] + [_request(method) for method in found.values()]:
            if name:
                schemas.add(name)
        result[api] = {
            "base": source["rootUrl"].rstrip("/"),
            "methods": {name: _method(found[name], source["servicePath"]) for name in sorted(found)},
            "schemas": dict(sorted(schemas.short.items())),
        }
    return result


def _request(method: JsonObject) -> str:
    return method.get("request", {}).get("$ref", "")


def _method(method: JsonObject, service: str) -> JsonObject:
    parameters: JsonObject = method.get("parameters", {})
    short: JsonObject = {
        "verb": method["httpMethod"],
        "path": f"/{service}{method['path']}",
        "query": sorted(name for name, parameter in parameters.items() if parameter["location"] == "query"),
        "request": _request(method),
    }
    return {name: value for name, value in short.items() if value}


def text() -> str:
    """One line for each method and each schema, so that a change can be read."""
    parts = [f"{_line(api)}: {_block(said)}" for api, said in facts().items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _block(api: JsonObject) -> str:
    groups = []
    for group in ("methods", "schemas"):
        lines = ",\n".join(f"  {_line(name)}: {_line(value)}" for name, value in api[group].items())
        groups.append(f" {_line(group)}: {{\n{lines}\n }}")
    return f'{{\n "base": {_line(api["base"])},\n' + ",\n".join(groups) + "\n}"


def _line(value: Json) -> str:
    return encode(value).decode()


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        TARGET.write_text(text())
    else:
        sys.stdout.write(text())
