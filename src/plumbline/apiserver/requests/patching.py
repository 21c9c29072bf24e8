"""The four ways to change a part of an object."""

from collections.abc import Callable
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Call
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.objects.updating import Change
from plumbline.apiserver.requests.bodies import decode_json, media_type, read_strictly
from plumbline.apiserver.requests.options import WriteOptions
from plumbline.base.documents import load_document
from plumbline.base.errors import (
    BadPatch,
    FieldConflict,
    InapplicablePatch,
    InvalidInput,
    LimitExceeded,
    RequestRefused,
    SchemaViolation,
)
from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply import Writer, apply, track_update
from plumbline.kube.patch import json_patch, merge_patch, strategic_patch
from plumbline.kube.schema import Shape

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_PATCH: Final = "application/strategic-merge-patch+json"
APPLY_PATCH: Final = "application/apply-patch+yaml"

Patch = Callable[[JsonObject], JsonObject]


def patch_type(call: Call, *, strategic: bool) -> str:
    """Which of the patches that are taken was sent."""
    accepted = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
    if strategic:
        accepted.insert(2, STRATEGIC_PATCH)
    found = media_type(call)
    if found not in accepted:
        raise statuses.unsupported_media_type(accepted)
    return found


def patch_change(call: Call, model: Model, kind: str, options: WriteOptions, writer: Writer) -> Change:
    patch = decode_json(call.body)

    def change(live: JsonObject | None) -> JsonObject:
        before = live if live is not None else {}
        after = patched(before, patch, kind, model.shape)
        new = read_strictly(call, after, model, options.strictness)
        return track_update(live, new, writer, model.shape)

    return change


def patched(live: JsonObject, patch: Json, kind: str, shape: Shape) -> JsonObject:
    try:
        if kind == JSON_PATCH:
            return json_patch(live, patch)
        if kind == MERGE_PATCH:
            return merge_patch(live, patch)
        return strategic_patch(live, patch, shape)
    except LimitExceeded as bad:
        raise statuses.failure(413, "RequestEntityTooLarge", bad.what) from None
    except InapplicablePatch as bad:
        raise statuses.failure(422, "Invalid", bad.what) from None
    except BadPatch as bad:
        raise statuses.bad_request(bad.what) from None


def apply_change(call: Call, model: Model, name: str, options: WriteOptions, writer: Writer) -> Change:
    config = apply_config(call, name)

    def change(live: JsonObject | None) -> JsonObject:
        return model.read(applied(live, config, writer, model.shape, options))

    return change


def applied(
    live: JsonObject | None, config: JsonObject, writer: Writer, shape: Shape, options: WriteOptions
) -> JsonObject:
    try:
        return apply(live, config, writer, shape, force=bool(options.force))
    except FieldConflict as conflict:
        raise _conflict(conflict) from None
    except SchemaViolation as bad:
        raise statuses.plain_failure(500, bad.what) from None
    except InvalidInput as bad:
        raise statuses.bad_request(bad.what) from None


def apply_config(call: Call, name: str) -> JsonObject:
    """What is applied, under the name in the path."""
    try:
        config = load_document(call.body, repeats="ignore").value
    except InvalidInput as bad:
        raise statuses.bad_request(f"error decoding YAML: {bad.what}") from None
    if not isinstance(config, dict):
        raise statuses.bad_request("error decoding YAML: the document is not an object")
    metadata = config.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    if metadata.get("name", name) != name:
        why = f"the name of the object ({metadata['name']}) does not match the name on the URL ({name})"
        raise statuses.bad_request(why)
    return {**config, "metadata": {**metadata, "name": name}}


def _conflict(conflict: FieldConflict) -> RequestRefused:
    causes = [{"reason": cause.reason, "message": cause.message, "field": cause.field} for cause in conflict.causes]
    return statuses.failure(409, "Conflict", conflict.what, causes=causes)
