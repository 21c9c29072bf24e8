from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List the sealing keys of a cluster, and which were put aside.",
    "export": "Put them into a file that only some people can open.",
    "check": "See whether such a file will do when it is needed.",
    "import": "Bring keys back, into the same cluster or another.",
    "renew": "Make a new key now.",
}


@click.command("keys", cls=Lazy, package="plumbline.cli.verbs.keys", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """The keys that open SealedSecrets: put where they survive the cluster, and brought back.

    They are Secrets in the namespace of the controller, exactly as Sealed Secrets writes them. Private keys are never
    printed, and never leave the cluster but encrypted.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
