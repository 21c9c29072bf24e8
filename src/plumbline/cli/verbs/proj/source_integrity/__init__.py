from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {"git": "Of Git repositories."}


@click.command(
    "source-integrity",
    cls=Lazy,
    package="plumbline.cli.verbs.proj.source_integrity",
    verbs=VERBS,
    invoke_without_command=True,
)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """What sources have to prove before applications of a project use them."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
