import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.repositories.listing import removed


@click.command("rm", cls=GoFlags)
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@connecting()
def verb(urls: tuple[str, ...], where: Where) -> Exit:
    """Forget the credentials for an address."""
    for url in urls:
        performed(removed(where, "repo-creds", url))
        click.echo(f"Repository credentials for '{url}' removed")
    return Exit.DONE
