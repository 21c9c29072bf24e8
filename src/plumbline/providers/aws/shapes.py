"""Values of manifests as AWS's requests have them and back, guided by botocore's shapes. Pure."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final, TypeAlias

from plumbline.base.clock import rfc3339
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.providers.aws.models import Shape
from plumbline.providers.aws.names import field_name, member_name, tag_list

_TYPES: Final = {
    "boolean": "boolean",
    "string": "string",
    "timestamp": "string",
    "blob": "string",
    "character": "string",
}
"""What is not here is a number: upstream's schemas know no integers."""
_DEEPEST: Final = 12

_INDEX: Final = re.compile(r"\[\d+\]")

Names: TypeAlias = Mapping[str, str]
"""Fields whose members are not found by their spelling, by path or by name."""


def _said_member(names: Names, path: str, field: str) -> str | None:
    return names.get(f"{_INDEX.sub('', path)}.{field}") or names.get(field)


def _spelled(names: Names, path: str, shape: Shape) -> dict[str, str]:
    """Members of a structure, by the field that is each of them."""
    fields = {member: field_name(member, inner) for member, inner in shape.members.items()}
    for said, member in names.items():
        above, _, field = said.rpartition(".")
        if member in fields and above in {"", path}:
            fields[member] = field
    return fields


def to_request(value: Json, shape: Shape, names: Names, path: str) -> Json:
    """*value* as a request has it. Older versions of a kind write a structure as a list of one; both are understood."""
    kind = shape.type_name
    if kind == "structure":
        return _structure(_only(value, path), shape, names, path)
    if kind == "list":
        if tag_list(shape) and isinstance(value, dict):
            return [{"Key": key, "Value": text(item)} for key, item in sorted(value.items())]
        items = value if isinstance(value, list) else [value]
        return [to_request(item, shape.member, names, f"{path}[{index}]") for index, item in enumerate(items)]
    if kind == "map":
        if not isinstance(value, dict):
            raise InvalidInput(f"{path} is not as it has to be", why="it takes names with values")
        return {key: to_request(item, shape.value, names, f"{path}.{key}") for key, item in value.items()}
    return _scalar(value, kind, path)


def _only(value: Json, path: str) -> JsonObject:
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    if isinstance(one, dict):
        return one
    raise InvalidInput(f"{path} is not as it has to be", why="it takes fields, or a list with one item that has them")


def _structure(value: JsonObject, shape: Shape, names: Names, path: str) -> JsonObject:
    result: JsonObject = {}
    for field, item in value.items():
        said = _said_member(names, path, field)
        member = said if said in shape.members else member_name(field, shape)
        if member is None:
            known = ", ".join(sorted(field_name(known, shape.members[known]) for known in shape.members))
            raise InvalidInput(f"{path}.{field} is no field that AWS knows", hint=f"It takes: {known}.")
        if item is not None:
            result[member] = to_request(item, shape.members[member], names, f"{path}.{field}")
    return result


def _scalar(value: Json, kind: str, path: str) -> Json:
    """Numbers and switches may come as strings, as Terraform's do: `"true"`."""
    try:
        if kind in {"integer", "long"}:
            return int(value)
        if kind in {"float", "double"}:
            return float(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"{path} is not a number") from None
    if kind == "boolean":
        return value.lower() == "true" if isinstance(value, str) else bool(value)
    if isinstance(value, (dict, list)):
        raise InvalidInput(f"{path} is not as it has to be", why="it takes one value")
    return value if isinstance(value, str) else text(value)


def from_answer(value: Json, shape: Shape | None, names: Names, path: str) -> Json:
    """What AWS says, as a manifest would: members that no request has are left out where *shape* tells."""
    if isinstance(value, datetime):
        return rfc3339(value)
    if shape is None or value is None:
        return value
    if shape.type_name == "structure" and isinstance(value, dict):
        fields = _spelled(names, path, shape)
        return {
            fields[member]: from_answer(value[member], below, names, f"{path}.{fields[member]}")
            for member, below in shape.members.items()
            if value.get(member) is not None
        }
    if shape.type_name == "list" and isinstance(value, list):
        if tag_list(shape):
            return {item["Key"]: item.get("Value", "") for item in value}
        return [from_answer(item, shape.member, names, path) for item in value]
    return value


def openapi(shape: Shape, names: Names, path: str, *, loose: bool = False) -> JsonObject:
    """The schema of what *to_request* takes. *loose*: structures may come as lists of one, so their inside is checked there."""
    kind = shape.type_name
    if kind == "structure":
        if loose or path.count(".") > _DEEPEST:
            return {"x-kubernetes-preserve-unknown-fields": True}
        fields = _spelled(names, path, shape)
        below = {
            fields[member]: openapi(inner, names, f"{path}.{fields[member]}") for member, inner in shape.members.items()
        }
        return {"type": "object", "properties": below}
    if kind == "list":
        if tag_list(shape):
            return {"type": "object", "additionalProperties": {"type": "string"}}
        return {"type": "array", "items": openapi(shape.member, names, path, loose=loose)}
    if kind == "map":
        return {"type": "object", "additionalProperties": openapi(shape.value, names, f"{path}.*")}
    return {"type": _TYPES.get(kind, "number")}


def text(value: Json) -> str:
    """A value as AWS writes it in maps of strings: `true`, `30`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
