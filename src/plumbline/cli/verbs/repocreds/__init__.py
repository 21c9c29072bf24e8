from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "add": "Say as whom we come to all repositories below an address.",
    "list": "List such credentials.",
    "rm": "Forget some.",
}


@click.command("repocreds", cls=Lazy, package="plumbline.cli.verbs.repocreds", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Credentials for all repositories whose address begins alike, unless they have their own.

    They are Secrets in the namespace of the installation, exactly as Argo CD writes them.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
