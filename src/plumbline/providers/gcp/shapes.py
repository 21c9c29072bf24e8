"""From upstream's words to Google's and back, and what differs between the two. Pure: no clock, no IO."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.managed.external import Difference
from plumbline.providers.gcp.tables import Table, reported, tree
from plumbline.providers.rest import shapes
from plumbline.providers.rest.fields import Field
from plumbline.providers.rest.shapes import ANYTHING, Dialect, put, single

_GOOGLES_OWN: Final = "goog-"
"""Labels that Google puts on by itself."""


def normal(table: Table, wanted: JsonObject, *, strict: bool = True) -> JsonObject:
    """What is wanted, with every list of one that stands for an object replaced by the object.

    Raises SchemaViolation for what no version of the CRD has, if *strict*: below such fields the API server cannot look.
    """
    known = {"project", *table.parents, *table.local, *(secret.field for secret in table.secrets)}
    result = shapes.normal(tree(table), wanted, known if strict else ANYTHING)
    for name, kind in table.local.items():
        if kind == "object" and name in result:
            result[name] = single(result[name], name)
    return {name: value for name, value in result.items() if value is not None}


def written_as_lists(table: Table, wanted: JsonObject) -> bool:
    """Whether somebody writes objects as lists of one, as the older versions do."""
    return shapes.written_as_lists(tree(table), wanted)


def styled(table: Table, value: JsonObject, *, lists: bool) -> JsonObject:
    """In the shape that the reader of older versions expects, where *lists*."""
    return shapes.styled(tree(table), value) if lists else value


def request_body(table: Table, wanted: JsonObject, project: str) -> JsonObject:
    """What the API is told for a normalised forProvider, or for a part of one."""

    def told(field: Field, value: Json) -> Json:
        if field.link and isinstance(value, str) and value and "/" not in value:
            return f"projects/{project}/{field.link}/{value}"
        return shapes.told(field, value)

    return table.encode(shapes.request_body(tree(table), wanted, Dialect(told=told)))


def described(table: Table, found: JsonObject) -> JsonObject:
    """What was found, in the words of forProvider."""
    return shapes.described(tree(table), found, _DIALECT)


def also_described(table: Table, found: JsonObject) -> JsonObject:
    """What only atProvider has, in upstream's words."""
    return shapes.also_described(reported(table), found)


def differences(table: Table, wanted: JsonObject, found: JsonObject) -> tuple[Difference, ...]:
    """Fields that are wanted otherwise. What nobody wants is not looked at. Both in the words of forProvider."""
    return tuple(shapes.differences(tree(table), wanted, found, _DIALECT))


def _same(field: Field, wanted: Json, found: Json) -> bool:
    """Whether they mean the same: Google writes links its own way, and adds labels."""
    if field.link is not None and isinstance(wanted, str) and isinstance(found, str):
        return _ends_alike(wanted, found)
    if isinstance(wanted, dict) or isinstance(found, dict):
        return bool(_comparable(field, wanted or {}) == _comparable(field, found or {}))
    return shapes.same(field, wanted, found)


def _comparable(field: Field, value: Json) -> Json:
    if isinstance(value, str) and field.link is not None:
        return _end(value)
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if not key.startswith(_GOOGLES_OWN)}
    return shapes.comparable(field, value)


_DIALECT: Final = Dialect(comparable=_comparable, same=_same)


def _end(link: str) -> str:
    return link[link.find("projects/") :] if "projects/" in link else link


def _ends_alike(wanted: str, found: str) -> bool:
    if "/" not in wanted:
        return found.rpartition("/")[2] == wanted
    return _end(wanted) == _end(found)


def changed_part(changes: Iterable[Difference]) -> JsonObject:
    """Of forProvider, what an update has to say. Keys of maps that are to go are None."""
    result: JsonObject = {}
    for change in changes:
        value = change.wanted
        if isinstance(value, dict) and isinstance(change.found, dict):
            gone = [key for key in change.found if key not in value and not key.startswith(_GOOGLES_OWN)]
            value = {**value, **dict.fromkeys(gone)}
        put(result, tuple(change.path.split(".")), value)
    return result


def api_paths(table: Table, changes: Iterable[Difference]) -> list[str]:
    """The top-level fields of the API that *changes* are about, for a mask."""
    return sorted({shapes.api_path(tree(table), tuple(change.path.split(".")))[0] for change in changes})


def late(table: Table, set_already: JsonObject, found: JsonObject) -> JsonObject:
    """Fields that nobody has set, with what the provider chose for them."""
    return shapes.late(tree(table), set_already, found)
