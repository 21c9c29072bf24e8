import click

from plumbline.cli.asking import sure
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("delete-token", cls=GoFlags)
@click.argument("token_id", metavar="ID")
@click.option(
    "-a", "--account", "name", default="", help="Of which account; your own if not given, on a cluster admin."
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting()
def verb(token_id: str, name: str, yes: bool, where: Where) -> Exit:
    """End a token of an account. Whatever uses it is turned away from then on."""
    sure(f"End the token {token_id!r}?", yes=yes)

    async def dropped() -> None:
        from plumbline.cli.accounts.desk import desk_at  # noqa: PLC0415 - loads the client, which --help must not

        async with desk_at(where) as desk:
            await desk.drop_token(name, token_id)

    performed(dropped())
    click.echo(f"Token '{token_id}' deleted", err=True)
    return Exit.DONE
