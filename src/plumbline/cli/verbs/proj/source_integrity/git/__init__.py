from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {"policies": "Which signatures are asked for."}


@click.command(
    "git",
    cls=Lazy,
    package="plumbline.cli.verbs.proj.source_integrity.git",
    verbs=VERBS,
    invoke_without_command=True,
)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """What Git repositories have to prove."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
