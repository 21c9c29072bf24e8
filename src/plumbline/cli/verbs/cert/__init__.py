from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List host keys and certificates.",
    "add-ssh": "Add host keys of ssh.",
    "add-tls": "Add certificates of TLS for a server.",
    "rm": "Remove those of a server.",
}


@click.command("cert", cls=Lazy, package="plumbline.cli.verbs.cert", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Say by which host keys and certificates servers of repositories are known.

    They are in argocd-ssh-known-hosts-cm and argocd-tls-certs-cm, exactly as Argo CD keeps them.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
