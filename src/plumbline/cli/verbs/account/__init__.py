from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List accounts.",
    "get": "Show one, with its tokens.",
    "get-user-info": "Say who you are.",
    "session-token": "Print the token of your login.",
    "can-i": "Say whether somebody may do something, and which line says so.",
    "generate-token": "Make a token for programs.",
    "delete-token": "End one.",
    "update-password": "Set a password.",
    "bcrypt": "Hash a password as Argo CD's files have it.",
}


@click.command("account", cls=Lazy, package="plumbline.cli.verbs.account", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Look at accounts, and change their passwords and tokens.

    A server is asked where you are logged in to one. Otherwise the objects are read and written that it would look at:
    accounts of argocd-cm, their secrets in argocd-secret, and the policy of argocd-rbac-cm.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
