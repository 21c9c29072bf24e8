import click

from plumbline.base.json import JsonObject
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("list", cls=GoFlags)
@output_option("wide", "name", "json", "yaml")
@connecting()
def verb(output: str, where: Where) -> Exit:
    """List accounts: what they are, and what they are for (login, apiKey)."""

    async def listed() -> list[JsonObject]:
        from plumbline.cli.accounts.desk import desk_at  # noqa: PLC0415 - loads the client, which --help must not

        async with desk_at(where) as desk:
            return await desk.listed()

    found = performed(listed())
    if output in {"json", "yaml"}:
        print_value(found, output)
    elif output == "name":
        for each in found:
            click.echo(each["name"])
    else:
        from plumbline.cli.accounts.drawing import accounts  # noqa: PLC0415 - same

        click.echo(accounts(found))
    return Exit.DONE
