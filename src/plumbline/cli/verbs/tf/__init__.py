from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "plan": "Plan the root modules that a change concerns.",
    "apply": "Apply plans that were reviewed: those bytes, or nothing.",
    "comment": "Put a report on a pull request, as one comment that stays.",
}


@click.command("tf", cls=Lazy, package="plumbline.cli.verbs.tf", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Plan Terraform on pull requests, and apply exactly what was reviewed."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
