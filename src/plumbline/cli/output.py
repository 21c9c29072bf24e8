"""Answers on stdout for programs."""

import click
import msgspec

from plumbline.base.json import Json, JsonObject, decode, encode


def print_value(value: Json, form: str) -> None:
    """*value* as JSON or YAML, whichever was asked for."""
    click.echo(text_of(value, form), nl=False)


def text_of(value: Json, form: str) -> str:
    encoded = encode(value)
    if form == "json":
        return msgspec.json.format(encoded, indent=2).decode() + "\n"
    from plumbline.base.documents import dump_yaml  # noqa: PLC0415 - only who asks for YAML waits for it

    return dump_yaml(decode(encoded))


def identity(obj: JsonObject) -> JsonObject:
    """Which object is meant, as every answer about one begins."""
    metadata = obj.get("metadata") or {}
    named = {"apiVersion": obj.get("apiVersion"), "kind": obj.get("kind"), "name": metadata.get("name")}
    return named | ({"namespace": metadata["namespace"]} if metadata.get("namespace") else {})
