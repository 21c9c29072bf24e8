from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "render": "Print what a composition makes of a composite, without a cluster.",
    "convert": "Rewrite a composition of mode Resources into a pipeline.",
}


@click.command(
    "composition", cls=Lazy, package="plumbline.cli.verbs.composition", verbs=VERBS, invoke_without_command=True
)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Try out compositions, and rewrite them. No cluster is asked."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
