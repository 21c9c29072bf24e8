import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("logout", cls=GoFlags)
@click.argument("name", metavar="[CONTEXT]", default="")
@connecting()
def verb(name: str, where: Where) -> Exit:
    """End a login: the server forgets it, and so does this machine. The context stays, for the next login."""
    from plumbline.cli.server.choosing import flagged  # noqa: PLC0415 - loads documents, which --help must not
    from plumbline.cli.server.contexts import Context  # noqa: PLC0415 - same
    from plumbline.cli.server.files import Files  # noqa: PLC0415 - same
    from plumbline.cli.server.session import ended  # noqa: PLC0415 - same

    files = Files.found(where.asked.config)
    known = files.contexts()
    name = name or where.asked.context or known.current_context
    if not name:
        click.echo("Nobody is logged in.", err=True)
        return Exit.DONE
    context = known.named(name)
    server = flagged(context.server, where.asked)
    login = Context(name, server, context.user)
    if context.user.auth_token and not server.core and not performed(ended(login, where.asked)):
        click.echo(f"{server.server} was not told, and may know this login until it ends by itself.", err=True)
    if name not in files.ours().names:
        click.echo(f"{files.argocds} is Argo CD's, and still has the token: argocd logout {name}.", err=True)
        return Exit.DONE
    files.change(lambda ours: ours.without_token(name))
    click.echo(f"Logged out from '{name}'")
    return Exit.DONE
