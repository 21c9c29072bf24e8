"""Request bodies in protobuf: out of their envelope, and into JSON."""

from typing import Final

from plumbline.apiserver.protobuf.messages import message
from plumbline.apiserver.protobuf.reading import Reading
from plumbline.apiserver.protobuf.table import BODIES
from plumbline.apiserver.protobuf.wire import ENDED, Malformed
from plumbline.base.errors import BadDocument
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind

PREFIX: Final = b"k8s\x00"
_DELETE_OPTIONS: Final = "DeleteOptions"
_SHOWN_BYTES: Final = 30
_LONGEST_NAME: Final = 253


def decoded(body: bytes, expected: GroupVersionKind | None = None) -> JsonObject:
    """The object that a client sent in protobuf, as the JSON that a client in Go would have sent instead.

    Where the body does not say its version or kind, they are those that are *expected*; whether they are the right ones
    is left to the caller, as it is for JSON. Raises BadDocument or LimitExceeded, whose text is the API server's.
    """
    try:
        wrapped = _envelope(body)
    except Malformed as fault:
        raise _unrecognized(str(fault), body, expected) from fault
    kind = _kind(wrapped["typeMeta"], expected)
    if not kind.kind:
        raise _unrecognized("Object 'Kind' is missing", body, expected)
    obj: JsonObject = {"kind": kind.kind, "apiVersion": kind.api_version}
    try:
        _within(_message_name(kind, expected), wrapped.get("raw", b""), obj)
    except Malformed as fault:
        raise _unfit(kind, str(fault), expected) from fault
    return obj


def _envelope(body: bytes) -> JsonObject:
    if not body:
        raise Malformed("empty data")
    if not body.startswith(PREFIX):
        shown = " ".join(map(str, PREFIX))
        raise Malformed(f"provided data does not appear to be a protobuf message, expected prefix [{shown}]")
    if len(body) == len(PREFIX):
        raise Malformed("empty body")
    wrapped: JsonObject = {}
    _within("pkg/runtime.Unknown", body, wrapped, start=len(PREFIX))
    return wrapped


def _within(name: str, data: bytes, out: JsonObject, *, start: int = 0) -> None:
    try:
        message(name).read(data, start, len(data), out, Reading())
    except IndexError:
        raise Malformed(ENDED) from None


def _kind(meta: Json, expected: GroupVersionKind | None) -> GroupVersionKind:
    """A group-version that is none counts as unsaid."""
    api_version, kind = meta.get("apiVersion", ""), meta.get("kind", "")
    found = GroupVersionKind.parse("" if api_version.count("/") > 1 else api_version, kind)
    if expected and not kind:
        found = found._replace(kind=expected.kind)
    if expected and not found.version:
        found = expected._replace(kind=found.kind)
    return found


def _message_name(kind: GroupVersionKind, expected: GroupVersionKind | None) -> str:
    # Each group has DeleteOptions of its own, all alike, and clients send those of the group they delete from.
    if kind.kind == _DELETE_OPTIONS:
        return "meta/v1.DeleteOptions"
    name = BODIES.kinds.get((kind.api_version, kind.kind))
    if name is None or (expected and expected.kind == _DELETE_OPTIONS):
        raise Malformed(f"no kind {_named(kind.kind)} is registered for version {_named(kind.api_version)}")
    return name


def _unrecognized(why: str, body: bytes, expected: GroupVersionKind | None) -> BadDocument:
    if expected and expected.kind == _DELETE_OPTIONS:
        return BadDocument(why)
    wanted = f" (must be of type {expected.kind})" if expected else ""
    return BadDocument(f"the object provided is unrecognized{wanted}", why=f"{why} ({_summary(body)})")


def _unfit(kind: GroupVersionKind, why: str, expected: GroupVersionKind | None) -> BadDocument:
    if expected and expected.kind == _DELETE_OPTIONS:
        return BadDocument(why)
    found = kind.kind[:_LONGEST_NAME]
    wanted = expected.kind if expected else found
    return BadDocument(f"{found} in version {_named(kind.version)} cannot be handled as a {wanted}", why=why)


def _named(name: str) -> str:
    return quoted(name[:_LONGEST_NAME])


def _summary(body: bytes) -> str:
    """The beginning of *body*, to recognise it by."""
    start = body[:_SHOWN_BYTES]
    shown = start.decode(errors="replace") if start.startswith(b"{") else start.hex()
    return f"{shown}{' ...' if len(body) > _SHOWN_BYTES else ''}" if body else "<empty>"
