from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "add": "Say as whom we come to a repository.",
    "list": "List repositories.",
    "get": "Show one.",
    "rm": "Forget one.",
}


@click.command("repo", cls=Lazy, package="plumbline.cli.verbs.repo", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Say which repositories there are, and as whom we come there.

    They are Secrets in the namespace of the installation, exactly as Argo CD writes them.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
