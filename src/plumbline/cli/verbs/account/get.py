import click

from plumbline.base.json import JsonObject
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("get", cls=GoFlags)
@click.option("-a", "--account", "name", default="", help="Which one; your own if not given, on a cluster admin.")
@output_option("wide", "name", "json", "yaml")
@connecting()
def verb(name: str, output: str, where: Where) -> Exit:
    """Show an account, with its tokens: when they were made and when they end, never themselves."""

    async def found() -> JsonObject:
        from plumbline.cli.accounts.desk import desk_at  # noqa: PLC0415 - loads the client, which --help must not

        async with desk_at(where) as desk:
            return await desk.named(name)

    told = performed(found())
    if output in {"json", "yaml"}:
        print_value(told, output)
    elif output == "name":
        click.echo(told["name"])
    else:
        from plumbline.cli.accounts.drawing import account  # noqa: PLC0415 - same

        click.echo("\n".join(account(told)))
    return Exit.DONE
