from typing import TYPE_CHECKING

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags

if TYPE_CHECKING:
    from plumbline.cli.server.contexts import Context


@click.command("update-password", cls=GoFlags)
@click.option("--account", "name", default="", help="Whose; your own if not given, on a cluster admin's.")
@click.option("--current-password", "current", default="", help="Yours, as it is; asked for if not given.")
@click.option("--new-password", "new", default="", help="The new one; asked for if not given.")
@connecting()
def verb(name: str, current: str, new: str, where: Where) -> Exit:
    """Set a password. All sessions of that account end; yours goes on in a new one."""
    login = where.login()
    if login is not None and not current:
        current = click.prompt("Your current password", hide_input=True, err=True)
    new = new or click.prompt("New password", hide_input=True, confirmation_prompt=True, err=True)

    async def changed() -> None:
        from plumbline.cli.accounts.desk import desk_at  # noqa: PLC0415 - loads the client, which --help must not

        async with desk_at(where) as desk:
            await desk.set_password(name, current, new)

    performed(changed())
    click.echo("Password updated")
    if login is not None:
        _go_on(where, login, name, new)
    return Exit.DONE


def _go_on(where: Where, login: "Context", name: str, password: str) -> None:
    """The session that asked has ended with the old password, where it was one's own."""
    from plumbline.cli.server.files import Files  # noqa: PLC0415 - loads documents, which --help must not
    from plumbline.cli.server.session import logged_in, with_password  # noqa: PLC0415 - same
    from plumbline.cli.server.tokens import subject  # noqa: PLC0415 - same

    own = subject(login.user.auth_token)
    files = Files.found(where.asked.config)
    if name not in {"", own} or login.name not in files.ours().names:
        return
    context, _ = performed(logged_in(login.server, login.name, where.asked, with_password(own, password)))
    files.change(lambda known: known.joined(context).switched(known.current_context))
    click.echo(f"Context '{login.name}' updated")
