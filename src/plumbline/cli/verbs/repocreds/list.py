import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.repositories.listing import entries, show_credentials


@click.command("list", cls=GoFlags)
@output_option("wide", "json", "yaml", "url")
@connecting()
def verb(output: str, where: Where) -> Exit:
    """List credentials by the address that they are for."""
    show_credentials(performed(entries(where, "repo-creds")), output)
    return Exit.DONE
