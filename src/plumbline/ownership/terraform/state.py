"""Terraform state, as far as it says what exists. Values in it are secrets: nothing but what names things is kept."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from plumbline.base.errors import BadDocument
from plumbline.ownership.external import Described
from plumbline.ownership.terraform.resources import terraform_resource
from plumbline.ownership.values import Claim, Owner, Source

_VERSION: Final = 4


class _Instance(msgspec.Struct, frozen=True):
    attributes: dict[str, Any] | None = None
    index_key: str | int | None = None
    deposed: str = ""


class _Resource(msgspec.Struct, frozen=True):
    type: str
    name: str
    mode: str = "managed"
    module: str = ""
    instances: list[_Instance] | None = None


class _State(msgspec.Struct, frozen=True):
    version: int = 0
    resources: list[_Resource] | None = None
    encrypted_data: Any = None


_decoder: Final = msgspec.json.Decoder(_State)


def state_claims(text: bytes, owner: Owner, source: Source, cluster: str = "") -> list[Claim]:
    """What a state of version 4 has, all of it *owner*'s. What OpenTofu encrypted is empty to us. Raises BadDocument."""
    try:
        state = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # From None: the decoder's words may quote values, and values in a state are secrets.
        raise BadDocument(f"{source.place} is no Terraform state", why="it does not have the form of one") from None
    if state.encrypted_data is not None:
        return []
    if state.version != _VERSION:
        why = f"its version is {state.version}, and only {_VERSION} is read"
        raise BadDocument(f"{source.place} is no Terraform state", why=why, hint="Run a newer Terraform on it first.")
    return list(_claims(state.resources or [], owner, source, cluster))


def _claims(resources: list[_Resource], owner: Owner, source: Source, cluster: str) -> Iterator[Claim]:
    for resource in resources:
        if resource.mode != "managed":
            continue
        for instance in resource.instances or ():
            address = _address(resource, instance)
            attributes = instance.attributes or {}
            id_ = attributes.get("id")
            described = Described(resource.type, address, attributes, id_ if isinstance(id_, str) else "")
            said = msgspec.structs.replace(source, said=f"{address} in its state")
            yield Claim(terraform_resource(described, cluster), owner, said)


def _address(resource: _Resource, instance: _Instance) -> str:
    module = f"{resource.module}." if resource.module else ""
    key = instance.index_key
    index = "" if key is None else f"[{key}]" if isinstance(key, int) else f'["{key}"]'
    return f"{module}{resource.type}.{resource.name}{index}"
