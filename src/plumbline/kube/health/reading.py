"""Reading foreign objects without trusting them.

Nothing here raises on a wrong type except the readers that say so: rules for kinds we do not own would rather miss a
garbled field than fail, while the built-in kinds have one schema everywhere, and breaking it is worth telling.
"""

from collections.abc import Iterator
from typing import Final

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject

_BITS: Final = 64


def at(value: Json, *path: str) -> Json:
    """What lies under *path*, or None where it leads nowhere."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text(value: Json, *path: str) -> str:
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def number(value: Json, *path: str, default: float = 0) -> int | float:
    found = at(value, *path)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else default


def mapping(value: Json, *path: str) -> JsonObject:
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def items(value: Json, *path: str) -> list[Json]:
    found = at(value, *path)
    return found if isinstance(found, list) else []


def objects(value: Json, *path: str) -> Iterator[JsonObject]:
    """The objects in the list under *path*; anything else in it is passed over."""
    return (item for item in items(value, *path) if isinstance(item, dict))


def conditions(obj: JsonObject) -> Iterator[JsonObject]:
    return objects(obj, "status", "conditions")


def condition(obj: JsonObject, kind: str) -> JsonObject:
    """The first condition of that type; empty when there is none."""
    return next((found for found in conditions(obj) if found.get("type") == kind), {})


def holds(obj: JsonObject, kind: str, status: str = "True") -> bool:
    return any(found.get("type") == kind and found.get("status") == status for found in conditions(obj))


def printed(value: Json) -> str:
    """As it reads within a message: numbers without a needless fraction, lists with commas, objects not at all."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value.bit_length() <= _BITS else ""
    if isinstance(value, float):
        return f"{value:.14g}"
    return ", ".join(item for item in value if isinstance(item, str)) if isinstance(value, list) else ""


def part(holder: JsonObject, name: str) -> JsonObject:
    """The object under *name*, empty when absent, or raise SchemaViolation."""
    found = holder.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise SchemaViolation(f"{name} cannot be read", why="expected an object")
    return found


def parts(holder: JsonObject, name: str) -> list[JsonObject]:
    """The list of objects under *name*, empty when absent, or raise SchemaViolation."""
    found = holder.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise SchemaViolation(f"{name} cannot be read", why="expected a list of objects")
    return found


def whole(holder: JsonObject, name: str) -> int:
    """The whole number under *name*, 0 when absent, or raise SchemaViolation."""
    found = holder.get(name)
    if found is None:
        return 0
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    if type(found) is int and found.bit_length() < _BITS:
        return found
    raise SchemaViolation(f"{name} cannot be read", why="expected a whole number")


def word(holder: JsonObject, name: str) -> str:
    """The text under *name*, empty when absent, or raise SchemaViolation."""
    found = holder.get(name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise SchemaViolation(f"{name} cannot be read", why="expected text")
    return found
