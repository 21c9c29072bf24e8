from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import data_option


@click.command("open", cls=GoFlags)
@click.argument("target", metavar="[KIND/NAME]", default="")
@click.option("--launch/--no-launch", default=None, help="Open a browser, or only print; it opens on a terminal if not said.")  # fmt: skip
@data_option
@connecting()
def verb(target: str, launch: bool | None, data: Path | None, where: Where) -> Exit:
    """Open the web page of an object, or of the installation, and print where it is.

    Where `plumb up` runs on this machine, the address without KIND/NAME logs in, once: whoever may read its folder is its
    administrator anyway. Elsewhere it is that of the server that you are logged in to, or the one that argocd-cm names.
    """
    from plumbline.base.environment import home  # noqa: PLC0415 - not for --help
    from plumbline.cli.pages import address, launched  # noqa: PLC0415 - loads the client, which --help must not

    url = performed(address(where, target, data or home() / ".plumbline"))
    click.echo(url)
    launched(url, wanted=launch)
    return Exit.DONE
