"""Answers on stdout for programs."""

import click
import msgspec

from plumbline.base.json import Json, JsonObject, decode, encode


def print_value(value: Json, form: str) -> None:
    """*value* as JSON or YAML, whichever was asked for."""
    text = encode(value)
    if form == "json":
        click.echo(msgspec.json.format(text, indent=2))
        return
    from plumbline.base.documents import dump_yaml  # noqa: PLC0415 - only who asks for YAML waits for it

    click.echo(dump_yaml(decode(text)), nl=False)


def identity(obj: JsonObject) -> JsonObject:
    """Which object is meant, as every answer about one begins."""
    metadata = obj.get("metadata") or {}
    named = {"apiVersion": obj.get("apiVersion"), "kind": obj.get("kind"), "name": metadata.get("name")}
    return named | ({"namespace": metadata["namespace"]} if metadata.get("namespace") else {})
