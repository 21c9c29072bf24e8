import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.repositories.listing import one, show_repositories


@click.command("get", cls=GoFlags)
@click.argument("url", metavar="URL")
@click.option("--project", default="", help="That of this project.")
@click.option("--refresh", type=click.Choice(["hard"]), help="By a server: find out now whether it answers.")
@output_option("wide", "json", "yaml", "url")
@connecting()
def verb(url: str, project: str, refresh: str | None, output: str, where: Where) -> Exit:
    """Show the repository at URL, in whatever spelling."""
    show_repositories([performed(one(where, "repository", url, project, anew=bool(refresh)))], output, single=True)
    return Exit.DONE
