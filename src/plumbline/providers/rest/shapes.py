"""From upstream's words to the API's and back, and what differs between the two. Pure: no clock, no IO.

What is particular to a vendor, such as links or labels of its own, is in a Dialect.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from difflib import get_close_matches
from typing import Final

import msgspec

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject, encode_sorted
from plumbline.managed.external import Difference
from plumbline.providers.rest.fields import Field, Node
from plumbline.providers.rest.types import NUMBERS, from_wire, to_wire

_REFERENCES: Final = ("Ref", "Refs", "Selector")
_SWITCH: Final = {True: "Enabled", False: "Disabled"}


def told(field: Field, value: Json) -> Json:
    """A value as the API is told."""
    if field.says is not None and isinstance(value, str):
        return field.says.get(value, value)
    if field.switch and isinstance(value, bool):
        return _SWITCH[value]
    if field.scale != 1 and isinstance(value, int | float):
        return int(value // field.scale)
    return to_wire(value, field.type)


def heard(field: Field, value: Json) -> Json:
    """A value as the API has it, in the words of forProvider."""
    if field.says is not None:
        return next((ours for ours, theirs in field.says.items() if theirs == value), value)
    if field.switch:
        return value == _SWITCH[True]
    if field.scale != 1 and isinstance(value, int | float):
        return value * field.scale
    return from_wire(value, field.type)


def comparable(field: Field, value: Json) -> Json:
    """What is equal for two values that mean the same."""
    if isinstance(value, str):
        if field.type in NUMBERS:
            try:
                return float(value)
            except ValueError:
                return value
        return value.upper() if field.caseless else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list):
        return sorted(
            encode_sorted(item.upper() if field.caseless and isinstance(item, str) else item) for item in value
        )
    return value


def same(field: Field, wanted: Json, found: Json) -> bool:
    """Whether they mean the same: what is zero may be left out."""
    if not wanted and not found:
        return True
    if field.says is not None and isinstance(wanted, str) and field.says.get(wanted, wanted) is None:
        return found is None
    return bool(comparable(field, wanted) == comparable(field, found))


class Dialect(msgspec.Struct, frozen=True):
    """How a vendor writes values."""

    told: Callable[[Field, Json], Json] = told
    heard: Callable[[Field, Json], Json] = heard
    comparable: Callable[[Field, Json], Json] = comparable
    same: Callable[[Field, Json, Json], bool] = same


class _Anything(Container[str]):
    def __contains__(self, _name: object) -> bool:
        return True


ANYTHING: Final[Container[str]] = _Anything()
"""Names of fields, where nothing is refused."""


def normal(node: Node, value: JsonObject, known: Container[str], at: str = "") -> JsonObject:
    """What is wanted, with every list of one that stands for an object replaced by the object.

    Raises SchemaViolation for what is neither in the tree nor *known*: below such fields the API server cannot look.
    """
    fields = {field.name for field in node.fields}
    nodes = {child.name: child for child in node.nodes}
    result: JsonObject = {}
    for name, item in value.items():
        path = f"{at}{name}"
        child = nodes.get(name)
        if child is None:
            if name not in fields and path not in known and not name.endswith(_REFERENCES):
                raise _unknown(path, fields | nodes.keys())
            result[name] = item
        elif child.many:
            items = item if isinstance(item, list) else [item]
            result[name] = [normal(child, _mapping(one, path), known, f"{path}.") for one in items if one is not None]
        else:
            one = single(item, path)
            if one is not None:
                result[name] = normal(child, one, known, f"{path}.")
    return result


def single(value: Json, path: str) -> JsonObject | None:
    """The object, be it in a list of one or not."""
    if isinstance(value, list):
        if len(value) > 1:
            why = f"it is a list of {len(value)}, and there can be only one"
            raise SchemaViolation(f"spec.forProvider.{path} cannot be used", why=why)
        value = value[0] if value else None
    return None if value is None else _mapping(value, path)


def _mapping(value: Json, path: str) -> JsonObject:
    if not isinstance(value, dict):
        raise SchemaViolation(f"spec.forProvider.{path} cannot be used", why="it is not an object")
    return value


def _unknown(path: str, names: Iterable[str]) -> SchemaViolation:
    near = get_close_matches(path.rpartition(".")[2], sorted(names), n=1)
    hint = f"Did you mean {near[0]}?" if near else "Remove it, or look at docs/providers for what there is."
    return SchemaViolation(f"spec.forProvider.{path} is not a field of this kind", hint=hint)


def written_as_lists(node: Node, value: JsonObject) -> bool:
    """Whether somebody writes objects as lists of one, as the older versions do."""
    for child in node.nodes:
        item = value.get(child.name)
        if not child.many and isinstance(item, list):
            return True
        if isinstance(item, dict) and written_as_lists(child, item):
            return True
    return False


def styled(node: Node, value: JsonObject) -> JsonObject:
    """In the shape that the reader of older versions expects."""
    result = dict(value)
    for child in node.nodes:
        item = result.get(child.name)
        if isinstance(item, dict):
            result[child.name] = [styled(child, item)]
        elif isinstance(item, list):
            result[child.name] = [styled(child, one) for one in item]
    return result


def request_body(node: Node, value: JsonObject, dialect: Dialect) -> JsonObject:
    """What the API is told for a normalised forProvider, or for a part of one."""
    result: JsonObject = {}
    for field in node.fields:
        if field.name in value:
            said = dialect.told(field, value[field.name])
            if said is not None or value[field.name] is None:
                put(result, field.path, said)
    for child in node.nodes:
        item = value.get(child.name)
        if item is None:
            continue
        items = [request_body(child, one, dialect) for one in (item if isinstance(item, list) else [item])]
        if child.listed:
            put(result, child.path, items)
        elif items:
            put(result, child.path, items[0])
    return result


def put(target: JsonObject, path: tuple[str, ...], value: Json) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
    if isinstance(value, dict) and isinstance(target.get(path[-1]), dict):
        target[path[-1]] = {**target[path[-1]], **value}
    else:
        target[path[-1]] = value


def taken(source: Json, path: Iterable[str]) -> Json:
    for name in path:
        if not isinstance(source, dict):
            return None
        source = source.get(name)
    return source


def described(node: Node, found: JsonObject, dialect: Dialect) -> JsonObject:
    """What was found, in the words of forProvider."""
    result: JsonObject = {}
    for field in node.fields:
        value = taken(found, field.path)
        if value is not None:
            result[field.name] = dialect.heard(field, value)
    for child in node.nodes:
        value = taken(found, child.path)
        if not value and value != {}:
            continue
        items = [described(child, one, dialect) for one in (value if isinstance(value, list) else [value])]
        if child.many:
            result[child.name] = items
        elif items and items[0]:
            result[child.name] = items[0]
    return result


def also_described(fields: Iterable[Field], found: JsonObject) -> JsonObject:
    """What only atProvider has, in upstream's words."""
    return {
        field.name: from_wire(value, field.type) for field in fields if (value := taken(found, field.path)) is not None
    }


def differences(
    node: Node, wanted: JsonObject, found: JsonObject, dialect: Dialect, at: str = ""
) -> Iterator[Difference]:
    """Fields that are wanted otherwise. What nobody wants is not looked at. Both in the words of forProvider."""
    for field in node.fields:
        if field.spoken or field.name not in wanted:
            continue
        if not dialect.same(field, wanted[field.name], found.get(field.name)):
            yield Difference(f"{at}{field.name}", wanted[field.name], found.get(field.name), field.final)
    for child in node.nodes:
        if child.name not in wanted:
            continue
        ours, theirs = wanted[child.name], found.get(child.name)
        if not child.many:
            below = theirs if isinstance(theirs, dict) else {}
            yield from differences(child, ours, below, dialect, f"{at}{child.name}.")
        elif _canonical(child, ours, dialect) != _canonical(child, theirs or [], dialect):
            yield Difference(f"{at}{child.name}", ours, theirs)


def _canonical(node: Node, items: list[JsonObject], dialect: Dialect) -> list[bytes]:
    """Order means nothing in any of these lists, and what is zero is left out."""
    return sorted(encode_sorted(_plain(node, item, dialect)) for item in items)


def _plain(node: Node, item: JsonObject, dialect: Dialect) -> JsonObject:
    result: JsonObject = {}
    for field in node.fields:
        value = item.get(field.name)
        if value and not (field.says is not None and field.says.get(value, value) is None):
            result[field.name] = dialect.comparable(field, value)
    for child in node.nodes:
        value = item.get(child.name)
        if child.many and value:
            result[child.name] = [part.decode() for part in _canonical(child, value, dialect)]
        elif value and (plain := _plain(child, value, dialect)):
            result[child.name] = plain
    return result


def api_path(node: Node, path: tuple[str, ...]) -> tuple[str, ...]:
    """Where a field of forProvider is in the API."""
    for child in node.nodes:
        if child.name == path[0]:
            return (*child.path, *(api_path(child, path[1:]) if len(path) > 1 else ()))
    return next(field.path for field in node.fields if field.name == path[0])


def late(node: Node, set_already: JsonObject, found: JsonObject) -> JsonObject:
    """Fields that nobody has set, with what the provider chose for them."""
    result: JsonObject = {}
    for field in node.fields:
        value = found.get(field.name)
        if field.late and field.name not in set_already and value not in (None, "", [], {}):
            result[field.name] = value
    for child in node.nodes:
        value = found.get(child.name)
        if child.many:
            if value and child.name not in set_already:
                result[child.name] = value
        elif isinstance(value, dict):
            below = late(child, set_already.get(child.name) or {}, value)
            if below:
                result[child.name] = below
    return result
