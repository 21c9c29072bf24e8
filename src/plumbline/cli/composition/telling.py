"""`plumb why`: one paragraph about an object, and what programs read instead."""

from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.cli.output import identity
from plumbline.composition.tracing.branches import Node, Unlisted
from plumbline.composition.tracing.causes import (
    Cause,
    Turn,
    cause_of,
    lasting,
    passed_over,
    spoken,
    told,
    turn_of,
    unlisted,
)
from plumbline.composition.tracing.growing import Growing, Writer, events_of, writer_of
from plumbline.kube.client import Client

_NOBODY: Final = Writer(None)


class Told(NamedTuple):
    root: Node
    cause: Cause | None
    turn: Turn | None = None
    events: tuple[JsonObject, ...] = ()
    writer: "Told | None" = None
    """Of a Secret that is missing: what is the matter with who writes it."""
    unseen: str = ""
    """What could not be looked at, in sentences."""

    @property
    def well(self) -> bool:
        return self.cause is None


async def asked(client: Client, root: JsonObject, *, further: bool = True) -> Told:
    """What is the matter with *root*, down to who should have written a Secret that is missing."""
    tree = await Growing(client).tree(root)
    cause = cause_of(tree)
    if cause is None:
        return Told(tree, None, unseen=unlisted(tree))
    events = await events_of(client, cause.node.obj)
    turn = turn_of(cause)
    writer = await writer_of(client, cause.node.namespace, turn.secret) if turn.secret and further else _NOBODY
    inner = await asked(client, writer.obj, further=False) if writer.obj is not None else None
    unseen = (
        unlisted(tree),
        passed_over(writer.unlisted, "What writes the Secret may be among what cannot be seen"),
        passed_over([events] if isinstance(events, Unlisted) else (), "What happened to it lately is not known"),
    )
    happened = () if isinstance(events, Unlisted) else tuple(events)
    return Told(tree, cause, turn, happened, inner, " ".join(filter(None, unseen)))


def paragraph(said: Told, now: datetime) -> str:
    if said.cause is None or said.turn is None:
        well = f"{spoken(said.root)} waits for nothing: it is well."
        return f"{well} {said.unseen}" if said.unseen else well
    cause = said.cause
    parts = []
    if len(cause.path) > 1:
        through = [spoken(each) for each in cause.path[1:-1]]
        over = f", through {', '.join(through)}" if through else ""
        parts.append(f"{spoken(said.root)} waits for {spoken(cause.node)}{over}.")
    parts.append(f"{told(cause)}.{_since(cause.state.since, now)}")
    if said.writer is not None:
        parts.append(f"The Secret is written by {spoken(said.writer.root)}: {paragraph(said.writer, now)}")
    else:
        parts.append(f"It is {said.turn.whose} turn: {said.turn.what}.")
    return " ".join(filter(None, (*parts, said.unseen)))


def _since(since: str, now: datetime) -> str:
    length = lasting(since, now)
    return f" That is so for {length}, since {since}." if length else ""


def lines(said: Told, now: datetime) -> list[str]:
    """The paragraph, what would release it, and what was said lately."""
    found = [paragraph(said, now)]
    turn = said.writer.turn if said.writer is not None else said.turn
    found += [f"  {each}" for each in (turn.release if turn is not None else ())]
    found += [f"  {_event(each, now)}" for each in said.events]
    return found


def _event(event: JsonObject, now: datetime) -> str:
    when = str(event.get("lastTimestamp") or event.get("eventTime") or "")
    length = lasting(when, now)
    message = str(event.get("message") or "")
    return f"{event.get('type', 'Normal')} {event.get('reason', '')}{f' {length} ago' if length else ''}: {message}"


def as_json(said: Told, now: datetime) -> JsonObject:
    made: JsonObject = {"object": identity(said.root.obj), "well": said.well, "text": paragraph(said, now)}
    made |= {"unseen": said.unseen} if said.unseen else {}
    if said.cause is None or said.turn is None:
        return made
    made |= {
        "waitsFor": identity(said.cause.node.obj),
        "reason": said.cause.state.reason,
        "message": said.cause.state.message,
        "since": said.cause.state.since,
        "turn": said.turn.whose,
        "release": list(said.turn.release),
        "events": [
            {key: event.get(key) for key in ("type", "reason", "message", "lastTimestamp")} for event in said.events
        ],
    }
    return made | ({"writer": as_json(said.writer, now)} if said.writer is not None else {})
