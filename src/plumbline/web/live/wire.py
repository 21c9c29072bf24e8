"""Server-sent events, as `EventSource` of browsers reads them.

    open    the stream begins: `topics`, and whether it goes on from where the last one was (`resumed`)
    change  `topic`, `key`, `kind` and `object`; `omitted` where the object is too large to be sent
    reset   something may have been missed: what is shown of `topics` is to be fetched anew, for this `reason`
    bye     the stream ends, for this `reason`; come back after what `retry` says

JSON has no line breaks outside of strings and none inside of them, so that whatever is in a name stays inside of its event.
"""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import Json, encode
from plumbline.web.live.changes import Change, Kind

CONTENT_TYPE: Final = "text/event-stream; charset=utf-8"
MOST_BYTES: Final = 256 << 10
"""Of one object. A page that wants a larger one asks for it."""


def event(name: str, payload: Json, cursor: str = "", retry_ms: int = 0) -> bytes:
    lines = [b"retry: %d" % retry_ms] if retry_ms else []
    if cursor:
        lines.append(b"id: " + cursor.encode())
    lines += (b"event: " + name.encode(), b"data: " + encode(payload))
    return b"\n".join(lines) + b"\n\n"


def changed(topic: str, change: Change, cursor: str) -> bytes:
    said = {"topic": topic, "key": change.key, "kind": change.kind}
    if change.kind is Kind.DELETED:
        return event("change", said, cursor)
    whole = event("change", {**said, "object": change.payload}, cursor)
    return whole if len(whole) <= MOST_BYTES else event("change", {**said, "omitted": True}, cursor)


def gone(topic: str, change: Change, cursor: str) -> bytes:
    """What somebody is told who may not see any longer what they have seen."""
    return event("change", {"topic": topic, "key": change.key, "kind": Kind.DELETED}, cursor)


def reset(topics: Iterable[str], reason: str, cursor: str) -> bytes:
    return event("reset", {"topics": sorted(topics), "reason": reason}, cursor)


def bye(reason: str, retry_ms: int) -> bytes:
    return event("bye", {"reason": reason}, retry_ms=retry_ms)


def beat(cursor: str) -> bytes:
    """Keeps the connection open, and moves the place from which a page goes on, without waking it."""
    return b": beat\nid: " + cursor.encode() + b"\n\n"
