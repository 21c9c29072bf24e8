"""From upstream's words to Azure's and back, and what differs between the two. Pure: no clock, no IO."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.managed.external import Difference, Managed
from plumbline.providers.azure.tables import Purpose, Table, reported, tree
from plumbline.providers.rest import shapes
from plumbline.providers.rest.fields import Field
from plumbline.providers.rest.shapes import ANYTHING, Dialect
from plumbline.providers.rest.tags import default_tags

_AZURES_OWN: Final = "hidden-"
"""Tags that Azure's portal puts on by itself."""


def normal(table: Table, wanted: JsonObject, *, strict: bool = True) -> JsonObject:
    """What is wanted, with every list of one that stands for an object replaced by the object.

    Raises SchemaViolation for what no version of the CRD has, if *strict*: below such fields the API server cannot look.
    """
    known = {*table.parents, *table.local, *table.refused, *(secret.field for secret in table.secrets), table.named_by}
    if table.tagged:
        known.add("tags")
    result = shapes.normal(tree(table), wanted, known if strict else ANYTHING)
    return {name: value for name, value in result.items() if value is not None}


def written_as_lists(table: Table, wanted: JsonObject) -> bool:
    """Whether somebody writes objects as lists of one, as the older versions do."""
    return shapes.written_as_lists(tree(table), wanted)


def styled(table: Table, value: JsonObject, *, lists: bool) -> JsonObject:
    """In the shape that the reader of older versions expects, where *lists*."""
    return shapes.styled(tree(table), value) if lists else value


def request_body(table: Table, wanted: JsonObject, purpose: Purpose) -> JsonObject:
    """What the API is told for a normalised forProvider."""
    said = {name: value for name, value in wanted.items() if purpose == "update" or name not in table.unsaid}
    body = shapes.request_body(tree(table), said, _DIALECT)
    return table.encode(body, purpose)


def changed_body(table: Table, wanted: JsonObject, changes: Iterable[Difference]) -> JsonObject:
    """What an update says: every object of the API that something is different in, whole."""
    body = request_body(table, wanted, "update")
    result: JsonObject = {}
    for path in {_object(table, change.path) for change in changes}:
        value = shapes.taken(body, path)
        if value is not None:
            shapes.put(result, path, value)
    return result


def _object(table: Table, field: str) -> tuple[str, ...]:
    path = shapes.api_path(tree(table), tuple(field.split(".")))
    return path[:2] if path[0] == "properties" else path[:1]


def described(table: Table, found: JsonObject) -> JsonObject:
    """What was found, in the words of forProvider."""
    return shapes.described(tree(table), table.decode(found), _DIALECT)


def also_described(table: Table, found: JsonObject) -> JsonObject:
    """What only atProvider has, in upstream's words."""
    return shapes.also_described(reported(table), found)


def differences(table: Table, wanted: JsonObject, found: JsonObject) -> tuple[Difference, ...]:
    """Fields that are wanted otherwise. What nobody wants is not looked at. Both in the words of forProvider."""
    return table.settle(tuple(shapes.differences(tree(table), wanted, found, _DIALECT)), wanted, found)


def late(table: Table, set_already: JsonObject, found: JsonObject) -> JsonObject:
    """Fields that nobody has set, with what the provider chose for them."""
    return shapes.late(tree(table), set_already, found)


def wanted_tags(managed: Managed) -> dict[str, str]:
    said = managed.at_creation.get("tags") or {}
    return {**{str(key): str(value) for key, value in said.items()}, **default_tags(managed)}


def own_tags(found: JsonObject) -> dict[str, str]:
    """Tags that are not ours to remove."""
    return {key: value for key, value in (found.get("tags") or {}).items() if key.startswith(_AZURES_OWN)}


def tag_differences(managed: Managed, found: JsonObject) -> tuple[Difference, ...]:
    wanted, hidden = wanted_tags(managed), own_tags(found)
    others = {key: value for key, value in (found.get("tags") or {}).items() if key not in hidden}
    return () if wanted == others else (Difference("tags", wanted, others),)


def _comparable(field: Field, value: Json) -> Json:
    if field.caseless and isinstance(value, str):
        return folded(value)
    if field.caseless and isinstance(value, list):
        return sorted(folded(str(item)) for item in value)
    return shapes.comparable(field, value)


def _same(field: Field, wanted: Json, found: Json) -> bool:
    return (not wanted and not found) or bool(_comparable(field, wanted) == _comparable(field, found))


def folded(text: str) -> str:
    """`West Europe` and `westeurope` are the same place."""
    return text.casefold().replace(" ", "")


_DIALECT: Final = Dialect(comparable=_comparable, same=_same)
