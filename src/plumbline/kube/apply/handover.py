"""Fields that somebody applied on the client's side become those of a server-side applier: else nobody could drop them."""

from collections.abc import Iterable

from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply.fieldset import FieldSet, union
from plumbline.kube.apply.managers import APPLY, UPDATE


def entries_of(live: JsonObject) -> list[JsonObject] | None:
    """The managedFields of *live*; None where there are none, or somebody has written nonsense there."""
    metadata = live.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    return entries if isinstance(entries, list) and all(map(_readable, entries)) else None


def handed_over(entries: list[JsonObject], givers: Iterable[str], taker: str) -> list[JsonObject]:
    """*entries* where what *givers* hold by updates, of the object itself, is held by *taker*, who applies."""
    for giver in givers:
        entries = _moved(entries, giver, taker)
    return entries


def handover(live: JsonObject, entries: list[JsonObject]) -> list[JsonObject]:
    """The JSON patch that writes *entries*, refused if the object has changed since."""
    # Replacing the version makes the server compare it: a conflict, where a failed test would be a bad request.
    return [
        {"op": "replace", "path": "/metadata/managedFields", "value": entries},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": live["metadata"].get("resourceVersion", "")},
    ]


def _moved(entries: list[JsonObject], giver: str, taker: str) -> list[JsonObject]:
    theirs = [entry for entry in entries if _applied_as(entry, giver, UPDATE)]
    if not theirs:
        return entries
    ours = next((entry for entry in entries if _applied_as(entry, taker, APPLY)), None)
    target = ours or theirs[0]
    # Fields of another version cannot be told from ours; as with client-go, nobody holds them any more.
    same_version = next((entry for entry in theirs if entry.get("apiVersion") == target.get("apiVersion")), None)
    fields: FieldSet = target["fieldsV1"]
    if same_version is not None and same_version is not target:
        fields = union(fields, same_version["fieldsV1"])
    taken = {**target, "manager": taker, "operation": APPLY, "fieldsV1": fields}
    return [taken if entry is target else entry for entry in entries if entry is target or not _applied_as(entry, giver, UPDATE)]  # fmt: skip


def _applied_as(entry: JsonObject, manager: str, operation: str) -> bool:
    return entry.get("manager") == manager and entry.get("operation") == operation and not entry.get("subresource")


def _readable(entry: Json) -> bool:
    return isinstance(entry, dict) and _is_field_set(entry.get("fieldsV1"))


def _is_field_set(fields: Json) -> bool:
    return isinstance(fields, dict) and all(map(_is_field_set, fields.values()))
