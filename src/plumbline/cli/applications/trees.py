"""What stands behind the objects of an application, drawn."""

from datetime import datetime
from typing import Final

import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.states import State, states
from plumbline.cli.terminal import Styled, argo_table, plain
from plumbline.composition.tracing.branches import Unlisted
from plumbline.composition.tracing.causes import passed_over
from plumbline.delivery.tree import Node, Tree
from plumbline.kinds.timestamp import Time
from plumbline.kube.object import Object

_MINUTE_S: Final = 60
_HOUR_S: Final = 3600
_DAY_S: Final = 86400


def drawn(tree: Tree, app: JsonObject, now: datetime, *, detailed: bool) -> str:
    known = {f"{each.kind}/{each.name}": each for each in states(app)}
    rows = [_row(branch, node, known.get(node.shown), now, detailed=detailed) for branch, node in tree.walk()]
    header = ["KIND/NAME", "STATUS", "HEALTH", *(["AGE"] if detailed else []), "MESSAGE"]
    return argo_table([*header, "REASON"] if detailed else header, rows) if rows else ""


def tell_unread(tree: Tree) -> None:
    """Say beside the answer what is missing in it because it could not be read."""
    said = [f"{each.ref.kind}/{each.ref.name} cannot be read: {each.why}" for each in tree.unread if each.ref.name]
    if kinds := passed_over(Unlisted(each.ref.kind, each.why) for each in tree.unread if not each.ref.name):
        said.append(kinds)
    for each in said:
        click.echo(plain(each), err=True)


def _row(branch: str, node: Node, state: State | None, now: datetime, *, detailed: bool) -> list[str | Styled]:
    from plumbline.cli.applications.drawing import coloured  # noqa: PLC0415 - it draws trees as well

    health = node.health
    status, said, message = (state.status, state.health, state.message) if state else ("", "", "")
    cells: list[str | Styled] = [
        branch + node.shown,
        coloured(status),
        coloured(said or (health.status if health else "")),
        message,
    ]
    if not detailed:
        return cells
    return [*cells[:3], age(node.obj, now), message, health.message if health else ""]


def age(obj: JsonObject, now: datetime) -> str:
    """How old it is, as kubectl says it."""
    try:
        seconds = int((now - Time.read(Object(obj).creation_timestamp).moment).total_seconds())
    except ValueError:
        return "<unknown>"
    for unit, length in (("d", _DAY_S), ("h", _HOUR_S), ("m", _MINUTE_S)):
        if seconds >= 2 * length or (unit != "m" and seconds >= length):
            return f"{seconds // length}{unit}"
    return f"{max(seconds, 0)}s"
