"""Bodies of custom kinds: documents without a type, but with metadata that has one."""

from typing import Final

import msgspec

from plumbline.apiserver.decoding.bodies import JSON, Body, keys_in, tree_in
from plumbline.apiserver.decoding.checks import Odd, any_keys, keys_of
from plumbline.apiserver.decoding.depth import refuse_depth
from plumbline.apiserver.decoding.kinds import said_kind
from plumbline.apiserver.decoding.outcome import Misfit, Refusal
from plumbline.apiserver.decoding.tree import Node
from plumbline.apiserver.decoding.types import DOCUMENT, structure
from plumbline.apiserver.decoding.unmarshal import unmarshalled
from plumbline.apiserver.decoding.yamltext import tree_of
from plumbline.base.documents.scalars import json_number
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind

_METADATA: Final = structure("meta/v1.ObjectMeta")
_ZEROES: Final = bytes.maketrans(b"123456789", b"0" * 9)
_NINETEEN_DIGITS: Final = b"0" * 19  # as many as 2**63 has


def _number(written: str) -> int | float:
    return json_number(float(written))


decode_document: Final = msgspec.json.Decoder(float_hook=_number).decode


def document(body: bytes, media: str, *, strict: bool = True) -> Body:
    """The object in *body*, of whatever kind; it has to say which. Refusal with just the reason."""
    if media == JSON:
        value = _plain(body)
        if value is not None:
            return Body(value, GroupVersionKind.of(value))
    tree, repeats = tree_in(body, media)
    found = untyped(tree, body, strict=strict)
    return found._replace(complaints=(*repeats, *found.complaints)) if repeats and strict else found


def untyped(tree: Node, body: bytes, *, strict: bool = True) -> Body:
    found = said_kind(tree)
    try:
        read = unmarshalled(tree, DOCUMENT, strict=strict)
    except Refusal as bad:
        raise Misfit(bad, found) from None
    value: JsonObject = read.value or {}
    if not value.get("kind"):
        raise Refusal(f"Object 'Kind' is missing in '{body.decode(errors='replace')}'")
    return _with_metadata(Body(value, GroupVersionKind.of(value), read.complaints), strict=strict)


def _with_metadata(body: Body, *, strict: bool) -> Body:
    """*body* with its metadata as that is held, and complaints about what is not."""
    if "metadata" not in body.value:
        return body
    try:
        read = unmarshalled(tree_of(body.value["metadata"]), _METADATA, strict=strict)
    except Refusal as bad:
        raise Misfit(bad, body.kind) from None
    below = tuple(_below_metadata(each) for each in read.complaints)
    value = {**body.value, "metadata": read.value}
    if read.value is None:
        del value["metadata"]
    return body._replace(value=value, complaints=(*body.complaints, *below))


def _below_metadata(complaint: str) -> str:
    """Whatever is wrong with a field, it is called unknown."""
    path = complaint.partition(" field ")[2]
    return f'unknown field "metadata.{path[1:]}'


def _plain(body: bytes) -> JsonObject | None:
    """The document in *body* if it is JSON and nothing at all is odd about it."""
    try:
        value: Json = decode_document(body)
    except (ValueError, RecursionError, OverflowError):
        return None
    if not is_plain(value) or any_keys(value) != keys_in(body) or _NINETEEN_DIGITS in body.translate(_ZEROES):
        return None
    refuse_depth(body, value)
    found: JsonObject = value
    return found


def is_plain(value: Json) -> bool:
    """Whether *value* is an object that says what it is, and has metadata about which nothing is odd."""
    if type(value) is not dict or type(value.get("kind")) is not str or type(value.get("apiVersion")) is not str:
        return False
    try:
        keys_of(value.get("metadata", {}), _METADATA)
    except Odd:
        return False
    return value["kind"] != "" and value["apiVersion"].count("/") <= 1
