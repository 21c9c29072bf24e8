import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoDuration, GoFlags


@click.command("generate-token", cls=GoFlags)
@click.option(
    "-a", "--account", "name", default="", help="For which account; your own if not given, on a cluster admin."
)
@click.option("-e", "--expires-in", "life", type=GoDuration(), default="0s", help="How long it is good for, such as 24h; without end if not given.")  # fmt: skip
@click.option("--id", "token_id", default="", help="What to call it; something random if not given.")
@connecting()
def verb(name: str, life: str, token_id: str, where: Where) -> Exit:
    """Make a token for an account that has the capability apiKey, and print it. It is not shown again."""

    async def made() -> str:
        from plumbline.cli.accounts.desk import desk_at  # noqa: PLC0415 - loads the client, which --help must not
        from plumbline.kinds.duration import Duration  # noqa: PLC0415 - same

        async with desk_at(where) as desk:
            return await desk.token(name, token_id, int(Duration.parse(life).seconds))

    click.echo(performed(made()))
    return Exit.DONE
