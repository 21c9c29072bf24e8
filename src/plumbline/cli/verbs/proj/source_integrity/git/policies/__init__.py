from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List policies.",
    "add": "Add one.",
    "update": "Change one.",
    "delete": "Delete some.",
}


@click.command(
    "policies",
    cls=Lazy,
    package="plumbline.cli.verbs.proj.source_integrity.git.policies",
    verbs=VERBS,
    homes=dict.fromkeys(VERBS, "verbs"),
    invoke_without_command=True,
)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Policies that say by whom commits of which repositories have to be signed."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
