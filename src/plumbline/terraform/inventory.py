"""What a root module has made, for the status of objects that ask for it (`enableInventory`). Pure."""

from typing import Any, Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext

MOST: Final = 2000
"""Of a status nobody wants more, and no server keeps much more."""
_LONGEST: Final = 512


class _Instance(msgspec.Struct):
    attributes: dict[str, Any] | None = None
    sensitive_attributes: list[Any] | None = None


class _Resource(msgspec.Struct):
    mode: str = ""
    type: str = ""
    name: str = ""
    instances: list[_Instance] = []


class _State(msgspec.Struct):
    resources: list[_Resource] = []


def inventory(state: Plaintext) -> JsonObject:
    """An entry for each resource, with its ARN or else its id, unless that is sensitive. Empty for what cannot be read."""
    try:
        resources = msgspec.json.decode(state.reveal(), type=_State).resources
    except msgspec.DecodeError:
        return {"entries": []}
    entries = [
        {"n": resource.name, "t": resource.type, "id": _identifier(instance)}
        for resource in resources
        if resource.mode == "managed"
        for instance in resource.instances
    ]
    return {"entries": entries[:MOST]}


def _identifier(instance: _Instance) -> str:
    attributes, hidden = instance.attributes or {}, str(instance.sensitive_attributes or "")
    for name in ("arn", "id"):
        found = attributes.get(name)
        if isinstance(found, str) and f"'{name}'" not in hidden:
            return found[:_LONGEST]
    return ""
