import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.repositories.listing import entries, show_repositories


@click.command("list", cls=GoFlags)
@click.option("--refresh", type=click.Choice(["hard"]), help="By a server: find out now whether it answers.")
@output_option("wide", "json", "yaml", "url")
@connecting()
def verb(refresh: str | None, output: str, where: Where) -> Exit:
    """List the repositories that are configured. A Secret that cannot be used is listed with the reason."""
    show_repositories(performed(entries(where, "repository", anew=bool(refresh))), output)
    return Exit.DONE
