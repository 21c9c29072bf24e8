"""One watch over one connection: lines of JSON as they come, each an event whose object stays bytes.

It ends when the server ends it. Whoever wants it to go on uses `following`.
"""

from collections.abc import AsyncGenerator

import msgspec

from plumbline.base.errors import GarbledReply, LimitExceeded, Unreachable
from plumbline.kube.client.bodies import Head, decode
from plumbline.kube.client.calls import Caller
from plumbline.kube.client.statuses import read_status, status_error
from plumbline.kube.client.targets import JSON, METADATA, Selection, Target, encode_query
from plumbline.kube.client.transport import OBJECT_BYTES, Request

TIMEOUT_S = 290.0
"""How long the server is asked to keep a watch open. Short, since a server that hangs is noticed only at its end."""
_MARGIN_S = 30.0

_OBJECTS = (("Accept", JSON),)
_METADATA = (("Accept", METADATA),)


class WatchEvent(msgspec.Struct, frozen=True):
    type: str
    """ADDED, MODIFIED, DELETED or BOOKMARK. A bookmark says only how far the watch has come."""
    raw: bytes
    namespace: str
    name: str
    uid: str
    resource_version: str
    completes: bool = False
    """The bookmark that says that the initial state is complete."""

    @property
    def key(self) -> tuple[str, str]:
        return self.namespace, self.name

    def __repr__(self) -> str:
        """Without the object, which may be a Secret."""
        return f"WatchEvent({self.type} {self.namespace}/{self.name} at {self.resource_version})"


class _Line(msgspec.Struct, frozen=True):
    type: str
    object: msgspec.Raw


class _Marks(msgspec.Struct, frozen=True):
    annotations: dict[str, str] | None = None


class _Bookmark(msgspec.Struct, frozen=True):
    metadata: _Marks = _Marks()


_line = msgspec.json.Decoder(_Line)
_head = msgspec.json.Decoder(Head)
_bookmark = msgspec.json.Decoder(_Bookmark)


def watch_request(target: Target, selection: Selection, *, initial: bool, timeout_s: float = TIMEOUT_S) -> Request:
    """*initial* asks for the present state first, ended by a bookmark (WatchList)."""
    query = {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "timeoutSeconds": str(int(timeout_s)),
        **selection.query,
        "resourceVersion": selection.resource_version,
    }
    if initial:
        query |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
    if target.name:
        query["fieldSelector"] = ",".join(filter(None, (selection.fields, f"metadata.name={target.name}")))
    headers = _METADATA if selection.metadata_only else _OBJECTS
    path = target.collection.path
    return Request("GET", path, encode_query(query), headers, stream_s=timeout_s + _MARGIN_S)


async def watch(caller: Caller, request: Request) -> AsyncGenerator[WatchEvent, None]:
    """Events until the server ends the stream.

    Raises Expired where the history asked for is gone, Unreachable where the connection breaks, TimedOut where the server
    forgets to end it, GarbledReply for anything that is no event.
    """
    response = await caller.call(request)
    stream = response.stream
    if stream is None:
        raise GarbledReply(f"GET {request.path} is no stream", why="the server answered at once")
    lines = _Lines(request.path)
    try:
        async for piece in stream:
            for line in lines.completed_by(piece):
                yield _event(line, request.path)
            # The next one may be minutes away, and the first ones are as large as all that there is of a kind.
            del piece
    finally:
        await stream.close()
    lines.end()


class _Lines:
    """Whole lines, as many as came together; work and memory stay in proportion to what came."""

    __slots__ = ("_begun", "_limit", "_path", "_size")

    def __init__(self, path: str, limit: int = OBJECT_BYTES) -> None:
        self._path, self._limit = path, limit
        self._begun: list[bytes] = []
        self._size = 0

    def completed_by(self, piece: bytes) -> list[bytes]:
        first, newline, rest = piece.partition(b"\n")
        self._size += len(first)
        if self._size > self._limit:
            why = f"the limit is {self._limit} bytes"
            raise LimitExceeded(f"An event of the watch on {self._path} is too large", why=why)
        self._begun.append(first)
        if not newline:
            return []
        *whole, last = rest.split(b"\n")
        lines = [line for line in (b"".join(self._begun), *whole) if line]
        self._begun, self._size = [last], len(last)
        return lines

    def end(self) -> None:
        if self._size:
            raise Unreachable(f"The watch on {self._path} broke off", why="its last event is only half there")


def _event(line: bytes, path: str) -> WatchEvent:
    what = f"the watch on {path}"
    parsed = decode(line, _line, what)
    raw = bytes(parsed.object)
    if parsed.type == "ERROR":
        status = read_status(raw)
        if status is None:
            raise GarbledReply(f"The watch on {path} failed", why="its error is no Status")
        raise status_error(status, f"The watch on {path} failed")
    head = decode(raw, _head, what).metadata
    if not head.resource_version:
        raise GarbledReply(f"The watch on {path} sent an object without a resourceVersion")
    completes = False
    if parsed.type == "BOOKMARK":
        marks = decode(raw, _bookmark, what).metadata.annotations or {}
        completes = marks.get("k8s.io/initial-events-end") == "true"
    return WatchEvent(parsed.type, raw, head.namespace, head.name, head.uid, head.resource_version, completes)
