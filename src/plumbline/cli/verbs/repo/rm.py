import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.repositories.listing import removed


@click.command("rm", cls=GoFlags)
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--project", default="", help="That of this project.")
@connecting()
def verb(urls: tuple[str, ...], project: str, where: Where) -> Exit:
    """Forget repositories: from then on we come to them as nobody. Applications that use them stay."""
    for url in urls:
        performed(removed(where, "repository", url, project))
        click.echo(f"Repository '{url}' removed")
    return Exit.DONE
