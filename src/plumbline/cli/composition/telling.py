"""`plumb why`: one paragraph about an object, and what programs read instead."""

from datetime import datetime
from typing import NamedTuple

from plumbline.base.json import JsonObject
from plumbline.cli.output import identity
from plumbline.composition.tracing.branches import Node
from plumbline.composition.tracing.causes import Cause, Turn, cause_of, lasting, spoken, told, turn_of
from plumbline.composition.tracing.growing import Growing, events_of, writer_of
from plumbline.kube.client import Client


class Told(NamedTuple):
    root: Node
    cause: Cause | None
    turn: Turn | None = None
    events: tuple[JsonObject, ...] = ()
    writer: "Told | None" = None
    """Of a Secret that is missing: what is the matter with who writes it."""

    @property
    def well(self) -> bool:
        return self.cause is None


async def asked(client: Client, root: JsonObject, *, further: bool = True) -> Told:
    """What is the matter with *root*, down to who should have written a Secret that is missing."""
    tree = await Growing(client).tree(root)
    cause = cause_of(tree)
    if cause is None:
        return Told(tree, None)
    events = tuple(await events_of(client, cause.node.obj))
    turn = turn_of(cause)
    writer = await writer_of(client, cause.node.namespace, turn.secret) if turn.secret and further else None
    inner = await asked(client, writer, further=False) if writer is not None else None
    return Told(tree, cause, turn, events, inner)


def paragraph(said: Told, now: datetime) -> str:
    if said.cause is None or said.turn is None:
        return f"{spoken(said.root)} waits for nothing: it is well."
    cause = said.cause
    parts = []
    if len(cause.path) > 1:
        through = [spoken(each) for each in cause.path[1:-1]]
        over = f", through {', '.join(through)}" if through else ""
        parts.append(f"{spoken(said.root)} waits for {spoken(cause.node)}{over}.")
    parts.append(f"{told(cause)}.{_since(cause.state.since, now)}")
    if said.writer is not None:
        parts.append(f"The Secret is written by {spoken(said.writer.root)}: {paragraph(said.writer, now)}")
        return " ".join(parts)
    parts.append(f"It is {said.turn.whose} turn: {said.turn.what}.")
    return " ".join(parts)


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
