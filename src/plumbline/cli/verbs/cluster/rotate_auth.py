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
    from plumbline.cli.clustering.removing import rotated  # noqa: PLC0415 - loads the client, which --help must not

    performed(rotated(where, text))
    click.echo(f"Cluster '{text}' rotated auth")
    return Exit.DONE
