from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List windows.",
    "add": "Add one.",
    "update": "Change one.",
    "delete": "Delete one.",
    "enable-manual-sync": "Let people sync by hand against one.",
    "disable-manual-sync": "No longer let them.",
    "enable-sync-overrun": "Let what began in time go on against one.",
    "disable-sync-overrun": "No longer let it.",
}


@click.command(
    "windows",
    cls=Lazy,
    package="plumbline.cli.verbs.proj.windows",
    verbs=VERBS,
    homes=dict.fromkeys(VERBS, "verbs"),
    invoke_without_command=True,
)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Sync windows of a project: times in which syncs are allowed, and times in which they are denied."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
