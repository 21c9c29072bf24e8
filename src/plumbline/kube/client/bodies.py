"""Looking into JSON replies no further than needed: the envelope is read, what is inside stays bytes."""

from typing import Any, TypeVar

import msgspec

from plumbline.base.errors import GarbledReply

T = TypeVar("T")

_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""DecodeError covers wrong types too; nesting deep enough to hurt ends in RecursionError."""


class Metadata(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class Head(msgspec.Struct, frozen=True, rename="camel"):
    """What tells one object from all others."""

    kind: str = ""
    api_version: str = ""
    metadata: Metadata = Metadata()


class _ListMetadata(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")
    remaining_item_count: int | None = None


class _Envelope(msgspec.Struct, frozen=True, rename="camel"):
    kind: str
    api_version: str
    metadata: _ListMetadata
    items: list[msgspec.Raw] | None = None


_head = msgspec.json.Decoder(Head)
_envelope = msgspec.json.Decoder(_Envelope)


class Page(msgspec.Struct, frozen=True):
    """A List reply, or several made one, as bytes per object: each with its `kind` and `apiVersion`, as a GET has them."""

    items: list[bytes]
    resource_version: str
    continue_token: str = ""
    remaining: int | None = None
    """How many follow, where the server says it."""
    consistent: bool = True
    """False where the server had forgotten the snapshot and went on with newer objects."""


def decode(body: bytes, decoder: "msgspec.json.Decoder[T]", what: str) -> T:
    """Decode the reply to *what*, or raise GarbledReply."""
    try:
        return decoder.decode(body)
    except _BROKEN as broken:
        raise GarbledReply(f"The answer to {what} cannot be read", why=excerpt(broken, body)) from None


def head(body: bytes, what: str) -> Head:
    """Proof that *body* is one whole JSON object, and its identity, in one pass."""
    return decode(body, _head, what)


def page(body: bytes, what: str) -> Page:
    """Split a List reply into its objects without reading them."""
    envelope = decode(body, _envelope, what)
    if not envelope.kind.endswith("List"):
        raise GarbledReply(f"The answer to {what} is no list", why=f"its kind is {envelope.kind[:60]!r}")
    raw_items = envelope.items or []
    # Built-in kinds leave kind and apiVersion out of list items, custom ones do not. Spliced in as watches write them,
    # an object has the same bytes however it was read.
    prefix = _type_prefix(envelope.kind.removesuffix("List"), envelope.api_version)
    try:
        items = [_typed(bytes(raw), prefix) for raw in raw_items]
    except _BROKEN as broken:
        raise GarbledReply(f"The answer to {what} has broken items", why=str(broken)) from None
    metadata = envelope.metadata
    return Page(items, metadata.resource_version, metadata.continue_, metadata.remaining_item_count)


def _type_prefix(kind: str, api_version: str) -> bytes:
    return b'{"kind":' + msgspec.json.encode(kind) + b',"apiVersion":' + msgspec.json.encode(api_version) + b","


def _typed(item: bytes, prefix: bytes) -> bytes:
    if item.startswith((b'{"metadata":', b'{"spec":')):
        return prefix + item[1:]
    if item.startswith((b'{"kind":', b'{"apiVersion":')) or _head.decode(item).kind:
        return item
    rest = item[1:].lstrip()
    return prefix + rest if rest != b"}" else prefix[:-1] + rest


def excerpt(broken: Any, body: bytes) -> str:
    """Why it cannot be read, with the beginning of what came only if that is plainly not an object (which may be secret)."""
    start = body[:200].lstrip()
    if not start:
        return "the answer is empty"
    if start.startswith((b"{", b"[", b'"')):
        return str(broken)
    text = "".join(c if c.isprintable() else " " for c in start[:80].decode(errors="replace"))
    return f"it begins with {text!r}"
