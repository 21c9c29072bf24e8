"""Objects changed without changing them: each edit gives a new one, and what is empty afterwards is gone. Pure."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject

Edit: TypeAlias = Callable[[JsonObject, Any], JsonObject]
"""*obj* with what a flag says in it."""


def at(obj: JsonObject, *path: str) -> Json:
    """What is at *path*; None where there is nothing."""
    found: Json = obj
    for part in path:
        found = found.get(part) if isinstance(found, dict) else None
    return found


def put(obj: JsonObject, value: Json, *path: str) -> JsonObject:
    """*obj* with *value* at *path*. Empty values, and objects that hold nothing any more, are left out."""
    head, *rest = path
    below = obj.get(head)
    new = put(below if isinstance(below, dict) else {}, value, *rest) if rest else value
    changed = {name: each for name, each in obj.items() if name != head}
    return changed if new in (None, "", [], {}) or new is False else {**changed, head: new}


def sets(*path: str) -> Edit:
    """The flag's value is the field's."""
    return lambda obj, value: put(obj, list(value) if isinstance(value, tuple) else value, *path)


def unless_empty(*path: str) -> Edit:
    """The same, where an empty value changes nothing."""
    edit = sets(*path)
    return lambda obj, value: edit(obj, value) if value else obj


def replacing(items: Json, new: Sequence[JsonObject], key: str = "name") -> list[JsonObject]:
    """*items* with *new* ones, each in the place of the one with the same *key*."""
    merged: list[JsonObject] = list(items or [])
    for each in new:
        place = next((n for n, old in enumerate(merged) if old.get(key) == each[key]), None)
        if place is None:
            merged.append(each)
        else:
            merged[place] = each
    return merged


def pair(text: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InvalidInput(f"{text!r} cannot be used", why=f"it should be {form}")
    return name, value


def labels(texts: Sequence[str]) -> dict[str, str]:
    return dict(pair(text, "KEY=VALUE") for text in texts)
