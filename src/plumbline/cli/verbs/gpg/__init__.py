from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List keys.",
    "get": "Show one.",
    "add": "Add those of a file.",
    "rm": "Remove one.",
}


@click.command("gpg", cls=Lazy, package="plumbline.cli.verbs.gpg", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Say whose signatures count where a project asks for them.

    The keys are in argocd-gpg-keys-cm, exactly as Argo CD keeps them.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
