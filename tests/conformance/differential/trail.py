"""Trails: where in an object a change happens, written once and rendered into every kind of request."""

from dataclasses import dataclass
from typing import TypeAlias

from plumbline.base.json import Json, JsonObject, encode_sorted


@dataclass(frozen=True)
class Item:
    """The item of a list that is told apart by *keys*."""

    keys: tuple[tuple[str, Json], ...]
    patch_key: str = ""
    """The field by which strategic merge patch finds it; without one such a patch replaces the whole list."""

    def found(self, items: list[Json]) -> int:
        """Where it is in *items*, or -1."""
        return next((n for n, item in enumerate(items) if all(item.get(k) == v for k, v in self.keys)), -1)


@dataclass(frozen=True)
class Member:
    """One value of a list that is a set."""

    value: Json


class Key(str):
    """A key of a map, as against a field of a record: the map may go when its last key goes."""

    __slots__ = ()


Trail: TypeAlias = tuple[str | Item | Member, ...]


@dataclass(frozen=True)
class Put:
    trail: Trail
    value: Json


@dataclass(frozen=True)
class Drop:
    trail: Trail


Edit: TypeAlias = Put | Drop


def fields(dotted: str) -> Trail:
    return tuple(dotted.split("."))


def look(node: Json, trail: Trail) -> Json:
    """What is at *trail*, or None."""
    for step in trail:
        if node is None:
            return None
        if isinstance(step, str):
            node = node.get(step)
        elif isinstance(step, Item):
            at = step.found(node)
            node = None if at < 0 else node[at]
        else:
            node = step.value if step.value in node else None
    return node


def owned(fields_v1: JsonObject, trail: Trail) -> bool:
    """Whether an entry of managedFields names what is at *trail* itself, not only something in it."""
    node = fields_v1
    for step in trail:
        if isinstance(step, str):
            key = f"f:{step}"
        elif isinstance(step, Item):
            key = f"k:{encode_sorted(dict(step.keys)).decode()}"
        else:
            key = f"v:{encode_sorted(step.value).decode()}"
        if key not in node:
            return False
        node = node[key]
    return not node or "." in node


def edited(obj: JsonObject, edits: list[Edit]) -> JsonObject:
    """*obj* after *edits*, without lists and maps (but with records) that they left empty."""
    for edit in edits:
        obj = _put(obj, edit.trail, edit.value) if isinstance(edit, Put) else _dropped(obj, edit.trail)
    return obj


def _put(node: Json, trail: Trail, value: Json) -> Json:
    if not trail:
        return value
    step, rest = trail[0], trail[1:]
    if isinstance(step, str):
        known = node or {}
        return {**known, step: _put(known.get(step), rest, value)}
    items = list(node or [])
    if isinstance(step, Member):
        return items if step.value in items else [*items, step.value]
    at = step.found(items)
    if at < 0:
        return [*items, _put(dict(step.keys), rest, value)]
    items[at] = _put(items[at], rest, value)
    return items


def _dropped(node: Json, trail: Trail) -> Json:
    if node is None:
        return None
    step, rest = trail[0], trail[1:]
    if isinstance(step, Member):
        return [value for value in node if value != step.value]
    if isinstance(step, Item):
        at = step.found(node)
        if at < 0:
            return node
        return [*node[:at], *([_dropped(node[at], rest)] if rest else []), *node[at + 1 :]]
    if step not in node:
        return node
    if not rest:
        return {key: value for key, value in node.items() if key != step}
    below = _dropped(node[step], rest)
    if len(rest) == 1 and isinstance(rest[0], Key | Item | Member) and not below:
        return {key: value for key, value in node.items() if key != step}
    return {**node, step: below}
