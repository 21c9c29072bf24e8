import sys
from typing import TYPE_CHECKING, Final

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import Decorated

if TYPE_CHECKING:
    from plumbline.cli.server.contexts import Context
    from plumbline.cli.server.session import Prove

_SSO_PORT: Final = 8085
_CORE: Final = "kubernetes"


def returning_options(command: Decorated) -> Decorated:
    """How a browser is sent to the identity provider, and where it comes back to."""
    browser = "Open the browser, or only print where to go."
    command = click.option("--sso-launch-browser/--no-sso-launch-browser", "launch", default=True, help=browser)(
        command
    )
    callback = "Scheme, host and port that it comes back to, where they are not this machine's."
    command = click.option("--callback", default="", help=callback)(command)
    port = click.IntRange(0, 65535)
    about = "Port that the browser comes back to."
    return click.option("--sso-port", type=port, default=_SSO_PORT, show_default=True, help=about)(command)


@click.command("login", cls=GoFlags)
@click.argument("server", metavar="[SERVER]", default="")
@click.option("--username", default="", help="Account to log in with; asked for if not given.")
@click.option("--password", default="", help="Its password; asked for if not given, which keeps it out of histories.")
@click.option("--token", default="", help="A token to use instead; - reads it from stdin.")
@click.option("--sso", is_flag=True, help="Log in at the identity provider, in a browser.")
@returning_options
@click.option("--name", default="", help="What to call the context; SERVER if not given.")
@click.option("--skip-test-tls", is_flag=True, help="Do not try first whether the server can be reached.")
@connecting()
def verb(
    server: str,
    username: str,
    password: str,
    token: str,
    sso: bool,
    sso_port: int,
    callback: str,
    launch: bool,
    name: str,
    skip_test_tls: bool,
    where: Where,
) -> Exit:
    """Log in to SERVER, and have the verbs after this one ask it.

    The login is kept in ~/.config/plumb/config, which nobody else may read, as a context: `plumb context` switches between
    them, and `plumb logout` ends one. Without SERVER it says whether the current login, or the cluster of the kubeconfig,
    can be reached and knows you; with --core the verbs after this one ask that cluster.
    """
    if sum(map(bool, (sso, token, username or password))) > 1:
        raise click.UsageError("Only one of --username, --token and --sso can be used.")
    if not server:
        return _checked(where, name)
    from plumbline.cli.server.choosing import addressed, flagged  # noqa: PLC0415 - not for --help
    from plumbline.cli.server.session import logged_in, spoken, with_password, with_token  # noqa: PLC0415 - same

    found = flagged(addressed(server), where.asked)
    if not skip_test_tls:
        found = performed(spoken(found, where.asked))
    if sso:
        prove = signing_on(sso_port, callback, launch=launch)
    elif token:
        prove = with_token((sys.stdin.read() if token == "-" else token).strip())  # noqa: S105 - a mark, not one
    else:
        prove = with_password(*_credentials(username, password))
    context, person = performed(logged_in(found, name or found.server, where.asked, prove))
    remember(where, context)
    click.echo(f"'{person}' logged in successfully")
    click.echo(f"Context '{context.name}' updated")
    return Exit.DONE


def signing_on(port: int, callback: str, *, launch: bool) -> "Prove":
    from plumbline.cli.server.sso import Way, by_browser  # noqa: PLC0415 - loads what few need

    return by_browser(Way(port, callback, _browser if launch else None))


def _checked(where: Where, name: str) -> Exit:
    from plumbline.cli.server.contexts import Context, Server, User  # noqa: PLC0415 - not for --help

    login = where.login()
    if login is None:
        from plumbline.cli.checks.reach import reached  # noqa: PLC0415 - loads the client, which --help must not

        click.echo(performed(reached(where)))
        if where.asked.core:
            called = name or _CORE
            remember(where, Context(called, Server(server=_CORE, core=True), User(name=called)))
            click.echo(f"Context '{called}' updated")
        return Exit.DONE

    async def known() -> str:
        from plumbline.cli.server.api import opened  # noqa: PLC0415 - same
        from plumbline.cli.server.session import who  # noqa: PLC0415 - same

        async with opened(login, where.asked) as api:
            said = await who(api)
        return str(said.get("username") or "") if said.get("loggedIn") else ""

    person = performed(known())
    if person:
        click.echo(f"{login.server.server} answers: you are '{person}'")
        return Exit.DONE
    click.echo(f"{login.server.server} answers, and does not know you. Log in with: plumb login {login.server.server}.", err=True)  # fmt: skip
    return Exit.DENIED


def _credentials(username: str, password: str) -> tuple[str, str]:
    username = username or click.prompt("Username", err=True)
    return username, password or click.prompt("Password", hide_input=True, err=True)


def remember(where: Where, context: "Context") -> None:
    from plumbline.cli.server.files import Files  # noqa: PLC0415 - loads documents, which --help must not

    Files.found(where.asked.config).change(lambda known: known.joined(context))


def _browser(url: str) -> bool:
    import webbrowser  # noqa: PLC0415 - only who asks for it waits for it

    return webbrowser.open(url)
