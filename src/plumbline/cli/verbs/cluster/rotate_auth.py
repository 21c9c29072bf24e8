import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("rotate-auth", cls=GoFlags)
@click.argument("text", metavar="SERVER/NAME")
@connecting()
def verb(text: str, where: Where) -> Exit:
    """Renew the token of the account that we come as. The old one is worth nothing from then on."""

    async def rotated() -> None:
        from plumbline.cli.clustering.opening import roster_at  # noqa: PLC0415 - loads kinds, which --help must not
        from plumbline.cli.clustering.roster import one  # noqa: PLC0415 - same

        async with roster_at(where) as roster:
            await roster.rotate((await one(roster, text)).cluster)

    performed(rotated())
    click.echo(f"Cluster '{text}' rotated auth")
    return Exit.DONE
