"""Reading forProvider: what a schema has let through, as what it is meant to be."""

from collections.abc import Iterable

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.managed.external import Difference, Managed


def text(wanted: JsonObject, field: str) -> str:
    """Empty where it is not set."""
    value = wanted.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput(f"forProvider.{field} cannot be used", why=f"it is a {type(value).__name__}, not a text")
    return value


def texts(wanted: JsonObject, field: str) -> tuple[str, ...]:
    value = wanted.get(field) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidInput(f"forProvider.{field} cannot be used", why="it is not a list of texts")
    return tuple(value)


def required(wanted: JsonObject, field: str) -> str:
    found = text(wanted, field)
    if not found:
        raise InvalidInput(f"forProvider.{field} is missing", why="nothing can be done without it")
    return found


def deleting(managed: Managed) -> bool:
    return bool((managed.object.get("metadata") or {}).get("deletionTimestamp"))


def observed_before(managed: Managed) -> JsonObject:
    """What its status says of the last look."""
    found = (managed.object.get("status") or {}).get("atProvider")
    return found if isinstance(found, dict) else {}


def compared(wanted: JsonObject, found: JsonObject, fields: Iterable[str]) -> tuple[Difference, ...]:
    """Fields that somebody has set and that are otherwise."""
    return tuple(
        Difference(field, wanted[field], found[field])
        for field in fields
        if wanted.get(field) is not None and wanted[field] != found[field]
    )


def unset(wanted: JsonObject, found: JsonObject, fields: Iterable[str]) -> JsonObject:
    return {field: found[field] for field in fields if wanted.get(field) is None}


def sized(size_bytes: int) -> str:
    """For people: `7.5 MB`."""
    size: float = size_bytes
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1024:  # noqa: PLR2004 - the step from one unit to the next
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TB"


def counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def value_of(wanted: JsonObject, *path: str) -> Json:
    node: Json = wanted
    for step in path:
        node = node.get(step) if isinstance(node, dict) else None
    return node
