"""Types of an API's fields, written short, and how their values travel.

`string`, `boolean`, `double`, `int32`, `int64` (text on the wire), `any`, `[]` before the type of a list's items and `{}`
before that of a map's values.
"""

from typing import Final

from plumbline.base.json import Json, JsonObject

ON_WIRE_AS_TEXT: Final = frozenset({"int64", "uint64"})
INTEGERS: Final = frozenset({"int32", "uint32", *ON_WIRE_AS_TEXT})
NUMBERS: Final = frozenset({"double", "float", *INTEGERS})


def to_wire(value: Json, kind: str) -> Json:
    """A value as the API writes it. What does not fit is sent as it is: the vendor says best what is wrong with it."""
    if kind.startswith("[]") and isinstance(value, list):
        return [to_wire(item, kind[2:]) for item in value]
    if kind.startswith("{}") and isinstance(value, dict):
        return {key: to_wire(item, kind[2:]) for key, item in value.items()}
    if kind in ON_WIRE_AS_TEXT and isinstance(value, int | float) and not isinstance(value, bool):
        return str(int(value))
    if kind in INTEGERS and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def from_wire(value: Json, kind: str) -> Json:
    if kind.startswith("[]") and isinstance(value, list):
        return [from_wire(item, kind[2:]) for item in value]
    if kind in ON_WIRE_AS_TEXT and isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return value
    return value


def schema_of(kind: str) -> JsonObject:
    """OpenAPI for a leaf, as upstream's CRDs have it: every number is a `number`."""
    if kind.startswith("[]"):
        return {"type": "array", "items": schema_of(kind[2:])}
    if kind.startswith("{}"):
        return {"type": "object", "additionalProperties": schema_of(kind[2:])}
    if kind in NUMBERS:
        return {"type": "number"}
    if kind in {"string", "boolean"}:
        return {"type": kind}
    return {"x-kubernetes-preserve-unknown-fields": True}
