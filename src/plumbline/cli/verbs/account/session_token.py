from typing import TYPE_CHECKING

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value

if TYPE_CHECKING:
    from plumbline.cli.server.contexts import User


@click.command("session-token", cls=GoFlags)
@output_option("text", "json")
@connecting()
def verb(output: str, where: Where) -> Exit:
    """Print the token of your login, for programs that are to come as you. Whoever has it is you until it ends."""

    async def found() -> "User":
        from plumbline.base.errors import Unauthenticated  # noqa: PLC0415 - not for --help
        from plumbline.cli.server.api import opened  # noqa: PLC0415 - loads the client, which --help must not
        from plumbline.cli.server.session import who  # noqa: PLC0415 - same

        login = where.login()
        if login is None or not login.user.auth_token:
            raise Unauthenticated("you are not logged in to a server", hint="Log in with: plumb login SERVER.")
        async with opened(login, where.asked) as api:
            if not (await who(api)).get("loggedIn"):
                hint = f"Log in again with: plumb login {login.server.server}."
                raise Unauthenticated(f"{login.server.server} no longer knows this login", hint=hint)
        return login.user

    user = performed(found())
    if output == "text":
        click.echo(user.auth_token)
        return Exit.DONE
    from plumbline.cli.server.tokens import described  # noqa: PLC0415 - same

    print_value(described(user.auth_token, renewable=bool(user.refresh_token)), output)
    return Exit.DONE
