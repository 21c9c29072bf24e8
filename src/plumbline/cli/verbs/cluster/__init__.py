from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List clusters, and whether they can be reached.",
    "get": "Show one.",
    "add": "Add the one of a context of the kubeconfig.",
    "set": "Change one.",
    "rm": "Forget one.",
    "rotate-auth": "Renew the token that we come with.",
}


@click.command("cluster", cls=Lazy, package="plumbline.cli.verbs.cluster", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Say which clusters there are, and as whom we come there.

    They are Secrets in the namespace of the installation, exactly as Argo CD writes them.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
