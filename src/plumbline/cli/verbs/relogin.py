from typing import TYPE_CHECKING, Final

import click

from plumbline.base.errors import InvalidInput, Unauthenticated
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.verbs.login import remember, returning_options, signing_on

if TYPE_CHECKING:
    from plumbline.cli.server.contexts import Context

_LOCAL: Final = "local"


@click.command("relogin", cls=GoFlags)
@click.option("--password", default="", help="Password; asked for if not given, which keeps it out of histories.")
@returning_options
@connecting()
def verb(password: str, sso_port: int, callback: str, launch: bool, where: Where) -> Exit:
    """Log in again to where you are logged in, as the same and in the same way, when that login has ended.

    With a password where it was an account of the server, and else at the identity provider, in a browser.
    """
    from plumbline.cli.server.choosing import flagged  # noqa: PLC0415 - loads documents, which --help must not
    from plumbline.cli.server.session import logged_in, with_password  # noqa: PLC0415 - same
    from plumbline.cli.server.tokens import described  # noqa: PLC0415 - same

    context = _current(where)
    was = described(context.user.auth_token)
    if was["type"] == _LOCAL:
        click.echo(f"Relogging in as '{was['username']}'")
        password = password or click.prompt("Password", hide_input=True, err=True)
        prove = with_password(str(was["username"]), password)
    else:
        click.echo("Reinitiating SSO login")
        prove = signing_on(sso_port, callback, launch=launch)
    server = flagged(context.server, where.asked)
    renewed, _ = performed(logged_in(server, context.name, where.asked, prove))
    remember(where, renewed)
    click.echo(f"Context '{renewed.name}' updated")
    return Exit.DONE


def _current(where: Where) -> "Context":
    """The login that is meant. Raises Unauthenticated where there is none, or it is not known whose it was."""
    from plumbline.cli.server.files import Files  # noqa: PLC0415 - loads documents, which --help must not

    known = Files.found(where.asked.config).contexts()
    name = where.asked.context or known.current_context
    if not name:
        raise Unauthenticated("nobody is logged in", hint="Log in with: plumb login SERVER.")
    context = known.named(name)
    if context.server.core:
        raise InvalidInput(
            f"{name} is a cluster, and not a server",
            why="it knows people by the kubeconfig",
            hint="Renew that one, or log in to a server with: plumb login SERVER.",
        )
    if not context.user.auth_token:
        raise Unauthenticated(
            f"it is not known any more who was logged in to {name}",
            hint=f"Log in with: plumb login {context.server.server}.",
        )
    return context
