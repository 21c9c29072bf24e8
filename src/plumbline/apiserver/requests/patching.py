"""The four ways to change a part of an object."""

from collections.abc import Callable, Container, Sequence
from itertools import islice
from typing import Final, NamedTuple

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Call
from plumbline.apiserver.decoding.bodies import Wanted, typed
from plumbline.apiserver.decoding.checks import Odd, keys_of
from plumbline.apiserver.decoding.documents import is_plain, untyped
from plumbline.apiserver.decoding.octets import octets_fault
from plumbline.apiserver.decoding.outcome import Decoded, Refusal
from plumbline.apiserver.decoding.patches import apply_document, merge_document, operations, patch_tree
from plumbline.apiserver.decoding.rendering import merged, sorted_along, tree_as, written
from plumbline.apiserver.decoding.tree import Node, Pairs, parsed
from plumbline.apiserver.decoding.types import ANY, Structure
from plumbline.apiserver.decoding.unmarshal import unmarshalled
from plumbline.apiserver.decoding.unstructured import converted
from plumbline.apiserver.decoding.warnings import warnings_of
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.objects.updating import Change
from plumbline.apiserver.requests.bodies import refuse_other_kind, too_much
from plumbline.apiserver.requests.options import WriteOptions
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
from plumbline.kube.gotext import printed
from plumbline.kube.names import GroupKind, GroupVersionKind
from plumbline.kube.patch import json_patch, merge_patch, strategic_patch
from plumbline.kube.patch.json_patch import OPERATIONS
from plumbline.kube.schema import Shape

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_PATCH: Final = "application/strategic-merge-patch+json"
APPLY_PATCH: Final = "application/apply-patch+yaml"

_REJECTED: Final = "the server rejected our request due to an error in our request"
_BAD_FORMATS: Final = frozenset(
    {
        "invalid JSON document",
        "invalid patch format of primitive list",
        "invalid patch format of retainKeys",
        "invalid patch format of setElementOrder list",
    }
)
"""What is wrong with a strategic patch whatever it is applied to."""
_UNPROCESSABLE: Final = frozenset({"lists of lists are not supported", "patch content doesn't match retainKeys list"})


_SORTED: Final = 100
"""Places in an object that come out sorted, as those that a JSON patch touched do; beyond, nobody compares."""


class Target(NamedTuple):
    """What is patched: objects of one kind."""

    kind: GroupVersionKind
    structure: Structure | None
    """None where they are documents."""
    shape: Shape
    read: Callable[[JsonObject], tuple[JsonObject, Sequence[str]]]
    """The object as it is held, and what strict decoding complains about."""

    @classmethod
    def of(cls, model: Model) -> "Target":
        return cls(model.resource.kind, model.structure, model.shape, model.read_strictly)


def patch_type(call: Call, *, strategic: bool) -> str:
    """Which of the patches that are taken was sent."""
    accepted = (JSON_PATCH, MERGE_PATCH, *([STRATEGIC_PATCH] if strategic else []), APPLY_PATCH)
    said = call.headers.get("content-type", "")
    if strategic and not any(each.partition(";")[0].strip() in accepted for each in said.split(",")):
        raise statuses.failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", causes=[])
    found = said.partition(";")[0] if said.find(";") > 0 else said
    if found not in accepted:
        raise statuses.unsupported_media_type(accepted)
    return found


def patch_change(call: Call, model: Model, kind: str, options: WriteOptions, writer: Writer) -> Change:
    target = Target.of(model)

    def change(live: JsonObject | None) -> JsonObject:
        before = live if live is not None else {}
        new = patched(call, before, kind, target, options.strictness)
        _refuse_other_name(new, before)
        return track_update(live, new, writer, model.shape)

    return change


def patched(call: Call, live: JsonObject, kind: str, target: Target, strictness: str) -> JsonObject:
    """*live* after the patch in the body, as it is held; or why not, in an answer's words."""
    patch = {JSON_PATCH: _json_patched, MERGE_PATCH: _merge_patched, STRATEGIC_PATCH: _strategic_patched}[kind]
    try:
        return patch(_Patching(call, target, strictness), live)
    except LimitExceeded as beyond:
        raise too_much(beyond) from None


class _Patching:
    """One patch of one request."""

    def __init__(self, call: Call, target: Target, strictness: str) -> None:
        self._call = call
        self._strictness = strictness
        self.body = call.body
        self.target = target
        self.strict = strictness != "Ignore"

    def tree_of(self, value: Json, *, sent: Container[int] = ()) -> Node:
        return tree_as(value, self.target.structure or ANY, sent=sent)

    def plain(self, after: Json, patch: Decoded) -> JsonObject | None:
        """*after* as it is held, if nothing at all is odd about it."""
        target = self.target
        if patch.complaints or not isinstance(after, dict) or GroupVersionKind.of(after) != target.kind:
            return None
        try:
            if target.structure is None:
                value, unknown = target.read(after) if is_plain(after) else ({}, ("odd",))
                return None if unknown and self.strict else value
            keys_of(after, target.structure)
        except (Odd, RecursionError, SchemaViolation):
            return None
        return target.read(after)[0]

    def read(self, text: bytes, patch: Decoded) -> JsonObject:
        """The object in *text*, which is what the patch made."""
        target = self.target
        try:
            tree = parsed(text)
            if target.structure is None:
                body = untyped(tree, text, strict=self.strict)
            else:
                body = typed(tree, text, Wanted(target.kind, target.structure, self.strict))
            if target.structure is None:
                refuse_other_kind(body, target.kind)
            value, unknown = target.read(body.value)
        except SchemaViolation as bad:
            raise invalid_patch(text.decode(), bad.what) from None
        except Refusal as bad:
            raise invalid_patch(text.decode(), str(bad)) from None
        self.heed((*patch.complaints, *body.complaints, *unknown), text.decode())
        return value

    def heed(self, complaints: tuple[str, ...], shown: str) -> None:
        if not complaints or not self.strict:
            return
        if self._strictness == "Strict":
            raise invalid_patch(shown, f"strict decoding error: {', '.join(complaints)}")
        self._call.warnings.extend(warnings_of(complaints))


def _merge_patched(patching: _Patching, live: JsonObject) -> JsonObject:
    try:
        patch = merge_document(patching.body, strict=patching.strict)
    except Refusal as bad:
        if patching.strict:
            raise statuses.bad_request(f"error decoding patch: {bad}") from None
        patch = Decoded(_merged_leniently(patching))
        return patching.read(patch.value, patch)
    if patch.value is None:
        raise statuses.bad_request("Invalid JSON Patch")
    plain = patching.plain(merge_patch(live, patch.value), patch)
    if plain is not None:
        return plain
    tree = patch_tree(patching.body)
    assert isinstance(tree, Pairs)  # noqa: S101 - it was decoded as one
    return patching.read(written(merged(patching.tree_of(live), tree)), patch)


def _merged_leniently(patching: _Patching) -> bytes:
    """Without strictness a list is a patch, too: it takes the place of the object."""
    try:
        tree = patch_tree(patching.body)
        unmarshalled(tree, ANY, strict=False)
    except Refusal:
        raise statuses.bad_request("Invalid JSON Patch") from None
    if isinstance(tree, bytes):
        raise statuses.bad_request("Invalid JSON Patch")
    return written(tree)


def _json_patched(patching: _Patching, live: JsonObject) -> JsonObject:
    try:
        patch = operations(patching.body, strict=patching.strict)
    except Refusal as bad:
        raise statuses.bad_request(f"error decoding patch: {bad}" if patching.strict else str(bad)) from None
    if len(patch.value) > OPERATIONS:
        allowed = f"The allowed maximum operations in a JSON patch is {OPERATIONS}, got {len(patch.value)}"
        raise statuses.failure(413, "RequestEntityTooLarge", f"Request entity too large: {allowed}")
    try:
        after = json_patch(live, patch.value)
    except (BadPatch, InapplicablePatch, LimitExceeded):
        raise _rejected() from None
    plain = patching.plain(after, patch)
    if plain is not None:
        return plain
    tree = patching.tree_of(after, sent={id(operation.get("value")) for operation in patch.value})
    pointers = (operation.get(name) for operation in patch.value for name in ("path", "from"))
    touched = dict.fromkeys(each.rpartition("/")[0] for each in pointers if isinstance(each, str))
    for pointer in islice(touched, _SORTED):
        sorted_along(tree, pointer)
    return patching.read(written(tree), patch)


def _strategic_patched(patching: _Patching, live: JsonObject) -> JsonObject:
    target = patching.target
    try:
        patch = merge_document(patching.body, strict=patching.strict)
    except Refusal as bad:
        raise statuses.bad_request(str(bad)) from None
    given: JsonObject = patch.value or {}
    after = _strategically(live, given, target.shape)
    plain = patching.plain(after, patch)
    if plain is not None or target.structure is None:
        return plain if plain is not None else target.read(after)[0]
    try:
        held = converted(after, target.structure, strict=patching.strict)
    except Refusal as bad:
        raise invalid_patch(printed(given), str(bad)) from None
    patching.heed((*patch.complaints, *held.complaints), printed(given))
    # What the patch says it is does not matter: it was read as what is there.
    return target.read({**held.value, "kind": target.kind.kind, "apiVersion": target.kind.api_version})[0]


def _strategically(live: JsonObject, patch: JsonObject, shape: Shape) -> JsonObject:
    try:
        return strategic_patch(live, patch, shape)
    except (BadPatch, InapplicablePatch) as bad:
        if bad.what in _UNPROCESSABLE:
            raise _rejected() from None
        if bad.what in _BAD_FORMATS:
            raise statuses.bad_request(bad.what) from None
        raise statuses.plain_failure(500, str(bad)) from None


def _rejected() -> RequestRefused:
    """Why is not told."""
    return statuses.failure(422, "Invalid", _REJECTED, causes=[])


def invalid_patch(shown: str, why: str) -> RequestRefused:
    return statuses.invalid(GroupKind("", ""), "", [invalid("patch", shown, why)])


def apply_change(call: Call, model: Model, name: str, options: WriteOptions, writer: Writer) -> Change:
    resource = model.resource

    def change(live: JsonObject | None) -> JsonObject:
        config, repeats = apply_config(call)
        _refuse_other_type(config, resource.kind)
        merged = applied(live, config, writer, model.shape, options)
        _refuse_other_bytes(merged, config, model)
        new = model.read(merged)
        heed_repeats(call, repeats, options.strictness)
        uid = metadata_of(new).get("uid")
        if live is None and uid:
            why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            raise statuses.conflict(resource.kind.group, resource.plural, name, why)
        _refuse_other_name(new, {"metadata": {"name": name}})
        return new

    return change


def _refuse_other_bytes(merged: JsonObject, config: JsonObject, model: Model) -> None:
    """The schema that objects are merged by says text where the type says bytes: what is no base64 is found only then."""
    fault = octets_fault(merged, model.structure) if model.structure is not None else ""
    if fault:
        kind, metadata = model.resource.kind, metadata_of(config)
        name = f"{metadata.get('namespace') or ''}/{metadata.get('name') or ''}"
        why = f"unable to convert unstructured object to {kind}: error decoding from json: {fault}"
        raise statuses.plain_failure(500, f"failed to convert new object ({name}; {kind}) to proper version: {why}")


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


def apply_config(call: Call) -> tuple[JsonObject, tuple[str, ...]]:
    """What is applied, and complaints about keys that are set twice."""
    try:
        read = apply_document(call.body)
    except Refusal as bad:
        raise statuses.bad_request(f"error decoding YAML: {bad}") from None
    except LimitExceeded as beyond:
        raise too_much(beyond) from None
    config: JsonObject = read.value
    if config.get("metadata", {}) is None:
        config = {name: value for name, value in config.items() if name != "metadata"}
    return config, read.complaints


def _refuse_other_type(config: JsonObject, kind: GroupVersionKind) -> None:
    said = [each if isinstance(each, str) else "" for each in (config.get("apiVersion"), config.get("kind"))]
    found = GroupVersionKind.parse(*said) if said[0].count("/") <= 1 else GroupVersionKind("", "", "")
    if found != kind:
        raise statuses.bad_request(f"invalid object type: {found}")
    metadata = config.get("metadata", {})
    if not isinstance(metadata, dict):
        why = f".metadata: expected map, got &{{{printed(metadata)}}}"
        raise statuses.plain_failure(500, f"failed to create typed patch object (/; {kind}): {why}")


def heed_repeats(call: Call, repeats: tuple[str, ...], strictness: str) -> None:
    if repeats and strictness == "Strict":
        raise statuses.bad_request(f"error strict decoding YAML: {repeats[0]}")
    if strictness != "Ignore":
        call.warnings.extend(warnings_of(repeats))


def _refuse_other_name(new: JsonObject, there: JsonObject) -> None:
    name, expected = metadata_of(new).get("name"), metadata_of(there)["name"]
    if not name:
        why = f"the name of the object ({expected} based on URL) was undeterminable: name must be provided"
        raise statuses.bad_request(why)
    if name != expected:
        why = f"the name of the object ({name}) does not match the name on the URL ({expected})"
        raise statuses.bad_request(why)


def _conflict(conflict: FieldConflict) -> RequestRefused:
    causes = [{"reason": cause.reason, "message": cause.message, "field": cause.field} for cause in conflict.causes]
    return statuses.failure(409, "Conflict", conflict.what, causes=causes)
