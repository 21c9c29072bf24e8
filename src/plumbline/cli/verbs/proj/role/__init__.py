from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List roles.",
    "get": "Show one.",
    "create": "Make one.",
    "delete": "Delete one, with its tokens.",
    "add-policy": "Let it do something.",
    "remove-policy": "No longer let it.",
    "add-group": "Give it to a group.",
    "remove-group": "Take it from a group.",
    "create-token": "Make a token for programs.",
    "list-tokens": "List tokens.",
    "delete-token": "End one.",
}
_HOMES: Final = {
    "list": "roles", "get": "roles", "create": "roles", "delete": "roles", "add-policy": "lines", "remove-policy": "lines",
    "add-group": "lines", "remove-group": "lines", "create-token": "tokens", "list-tokens": "tokens",
    "delete-token": "tokens",
}  # fmt: skip


@click.command(
    "role", cls=Lazy, package="plumbline.cli.verbs.proj.role", verbs=VERBS, homes=_HOMES, invoke_without_command=True
)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Roles of a project: what they may do in it, which groups have them, and tokens for programs."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
