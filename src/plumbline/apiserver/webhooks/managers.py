"""What a webhook may not break: the record of who owns which field."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply.managers import decode_managed

_WARNING: Final = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating "
    "admission controller; please fix your requests: "
)
_ELEMENTS: Final = ("f:", "k:", "v:", "i:")


def with_valid_managers(after: JsonObject, before: JsonObject, warnings: list[str]) -> JsonObject:
    """*after*, with the managedFields of *before* where its own cannot be read."""
    entries = metadata_of(after).get("managedFields")
    kept = metadata_of(before).get("managedFields")
    if entries == kept or not entries:
        return after
    why = _fault(entries)
    if not why:
        return after
    warnings.append(f"{_WARNING}{why}")
    return with_metadata(after, managedFields=kept)


def _fault(entries: Json) -> str:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return "entries must be objects"
    try:
        decode_managed(entries)
    except InvalidInput as bad:
        return bad.why
    keys = (key for entry in entries for key in _keys(entry.get("fieldsV1")))
    wrong = next((key for key in keys if key != "." and not key.startswith(_ELEMENTS)), None)
    return "" if wrong is None else f"error decoding set: parsing key as path element: {wrong!r} is none"


def _keys(fields: Json) -> Iterator[str]:
    if isinstance(fields, dict):
        for key, below in fields.items():
            yield key
            yield from _keys(below)
