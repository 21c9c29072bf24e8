"""From the bytes of a request to an object of the kind that the request is about."""

import re
from typing import Final, NamedTuple

import msgspec

from plumbline.apiserver.decoding.checks import Odd, keys_of
from plumbline.apiserver.decoding.depth import refuse_depth
from plumbline.apiserver.decoding.faults import NotJson
from plumbline.apiserver.decoding.kinds import said_kind, with_defaults
from plumbline.apiserver.decoding.outcome import Decoded, Misfit, Refusal
from plumbline.apiserver.decoding.registered import INTERNAL, go_type, internal_type, with_scheme
from plumbline.apiserver.decoding.tree import Node, Pairs, parsed
from plumbline.apiserver.decoding.types import Structure, body_type
from plumbline.apiserver.decoding.unmarshal import unmarshalled
from plumbline.apiserver.decoding.yamltext import read_yaml, tree_of
from plumbline.apiserver.protobuf import decoded as decoded_protobuf
from plumbline.base.errors import BadDocument
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"

_decode: Final = msgspec.json.Decoder().decode
_UNREADABLE: Final = "couldn't get version/kind; json parse error: "
_SHOWN_BYTES: Final = 30
_GAPS: Final = (b" :", b"\n:", b"\t:", b"\r:")
_gap: Final = re.compile(rb'"[ \t\r\n]+:').search


class Body(NamedTuple):
    """An object, of which kind it is, and what strict decoding complains about, in its order."""

    value: JsonObject
    kind: GroupVersionKind
    complaints: tuple[str, ...] = ()


class Wanted(NamedTuple):
    """What a body has to be."""

    kind: GroupVersionKind
    type: Structure
    strict: bool = True


def decoded(body: bytes, media: str, wanted: Wanted) -> Body:
    """The object in *body*, which may be of another version of the kind that is wanted.

    Refusal if it is nothing of the sort: with just the reason, which `refused` puts into the words of an answer.
    """
    if media == PROTOBUF:
        return _from_protobuf(body, wanted)
    if media == JSON:
        value = plain(body, wanted)
        if value is not None:
            return Body(_named(value, wanted.kind), wanted.kind)
    tree, repeats = tree_in(body, media)
    found = typed(tree, body, wanted)
    return found._replace(complaints=(*repeats, *found.complaints)) if repeats and wanted.strict else found


def plain(body: bytes, wanted: Wanted) -> JsonObject | None:
    """The object in *body* if it is JSON, of the kind wanted, and nothing at all is odd about it."""
    try:
        value = _decode(body)
        keys = keys_of(value, wanted.type)
    except (ValueError, RecursionError, Odd):
        return None
    if keys != keys_in(body):
        return None
    kind = wanted.kind
    if value.get("kind", kind.kind) != kind.kind or value.get("apiVersion", kind.api_version) != kind.api_version:
        return None
    refuse_depth(body, value)
    found: JsonObject = value
    return found


def keys_in(body: bytes) -> int:
    """How many keys are written in *body*, repeated ones counted; -1 where that is not told this cheaply."""
    if b'\\\\"' in body or (any(gap in body for gap in _GAPS) and _gap(body)):
        return -1
    # A quote before a colon ends a key, unless it is an escaped one within a string.
    return body.count(b'":') - body.count(b'\\":')


def tree_in(body: bytes, media: str) -> tuple[Node, tuple[str, ...]]:
    """What is written in *body*, and which keys are set twice in it where the tree cannot show that."""
    if media == YAML:
        read = read_yaml(body)
        return tree_of(read.value), read.complaints
    try:
        return parsed(body), ()
    except NotJson as bad:
        raise Refusal(f"{_UNREADABLE}{bad}") from None


def typed(tree: Node, body: bytes, wanted: Wanted) -> Body:
    found = with_defaults(said_kind(tree), wanted.kind)
    try:
        read = _read(tree, found, body, wanted)
    except Refusal as bad:
        raise Misfit(bad, found) from None
    return Body(_named(read.value or {}, found), found, read.complaints)


def _read(tree: Node, found: GroupVersionKind, body: bytes, wanted: Wanted) -> Decoded:
    if not found.version:
        raise Refusal(f"Object 'apiVersion' is missing in '{body.decode(errors='replace')}'")
    if found == wanted.kind:
        return unmarshalled(tree, wanted.type, strict=wanted.strict)
    internal = internal_type(found, wanted.kind.group)
    type_ = body_type(found)
    read = unmarshalled(tree, type_, strict=wanted.strict) if type_ else _unread(tree, found)
    _refuse_conversion(found, internal, wanted.kind)
    return read


def _unread(tree: Node, found: GroupVersionKind) -> Decoded:
    """Nothing of a kind that nobody can send. Types that stay inside have other names for their fields."""
    if found.version != INTERNAL or not isinstance(tree, Pairs):
        return Decoded({})
    unknown = (f"unknown field {quoted(name)}" for name, _ in tree if name not in ("apiVersion", "kind"))
    return Decoded({}, tuple(dict.fromkeys(unknown)))


def _refuse_conversion(found: GroupVersionKind, internal: str, wanted: GroupVersionKind) -> None:
    into = internal_type(wanted, wanted.group)
    if internal != into:
        raise Refusal(f"converting ({go_type(found)}) to ({into}): unknown conversion")


def _from_protobuf(body: bytes, wanted: Wanted) -> Body:
    try:
        value = decoded_protobuf(body, wanted.kind)
    except BadDocument as bad:
        raise Worded(with_scheme(str(bad))) from None
    found = GroupVersionKind.of(value)
    if found != wanted.kind:
        try:
            _refuse_conversion(found, internal_type(found, wanted.kind.group), wanted.kind)
        except Refusal as bad:
            raise Misfit(bad, found) from None
    return Body(value, found)


def _named(value: JsonObject, kind: GroupVersionKind) -> JsonObject:
    """*value* with its kind, which it may have left out."""
    if value.get("kind") == kind.kind and value.get("apiVersion") == kind.api_version:
        return value
    return {**value, "kind": kind.kind, "apiVersion": kind.api_version}


class Worded(Refusal):
    """One that has all its words already."""


def refused(bad: Refusal, wanted: GroupVersionKind, body: bytes) -> str:
    """What the answer says of *body*, where *bad* is the reason."""
    if isinstance(bad, Worded):
        return str(bad)
    if isinstance(bad, Misfit) and bad.found.kind:
        found = bad.found
        return f"{found.kind} in version {quoted(found.version)} cannot be handled as a {wanted.kind}: {bad}"
    return f"the object provided is unrecognized (must be of type {wanted.kind}): {bad} ({_summary(body)})"


def _summary(body: bytes) -> str:
    """The beginning of *body*, to recognise it by."""
    if not body:
        return "<empty>"
    start = body[:_SHOWN_BYTES]
    shown = start.decode(errors="replace") if body[:1] == b"{" else start.hex()
    return f"{shown} ..." if len(body) > _SHOWN_BYTES else shown
