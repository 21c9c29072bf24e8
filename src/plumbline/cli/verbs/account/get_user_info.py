import click

from plumbline.base.json import JsonObject
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("get-user-info", cls=GoFlags)
@output_option("text", "json", "yaml")
@connecting()
def verb(output: str, where: Where) -> Exit:
    """Say who you are, and in which groups."""

    async def found() -> JsonObject:
        login = where.login()
        if login is None:
            click.echo("No server is asked: you are whoever the kubeconfig names.", err=True)
            return {}
        from plumbline.cli.server.api import opened  # noqa: PLC0415 - loads the client, which --help must not
        from plumbline.cli.server.session import who  # noqa: PLC0415 - same

        async with opened(login, where.asked) as api:
            return await who(api)

    told = performed(found())
    if output != "text":
        print_value(told, output)
        return Exit.DONE
    from plumbline.cli.accounts.drawing import person  # noqa: PLC0415 - same

    click.echo("\n".join(person(told)))
    return Exit.DONE
