from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {"list": "List projects.", "get": "Show what one permits."}


@click.command("proj", cls=Lazy, package="plumbline.cli.verbs.proj", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Look at projects: what their applications may use, and where they may go."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
