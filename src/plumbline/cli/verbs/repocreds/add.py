from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.repositories.flags import credential_flags
from plumbline.cli.repositories.listing import added


@click.command("add", cls=GoFlags)
@click.argument("url", metavar="URL")
@credential_flags("git", "helm", "oci")
@click.option("--proxy-url", "proxy", default="", help="Proxy on the way there.")
@click.option("--upsert", is_flag=True, help="Replace them if they are there and differ.")
@connecting()
def verb(url: str, given: dict[str, Any], kind: Any, proxy: str, upsert: bool, where: Where) -> Exit:
    """Say as whom we come to all repositories whose address begins with URL."""
    from plumbline.cli.repositories.making import Place, repository  # noqa: PLC0415 - not for --help
    from plumbline.source.urls import redacted  # noqa: PLC0415 - same

    if given["username"] and not given["password"]:
        given["password"] = click.prompt("Password", hide_input=True, err=True)
    performed(added(where, "repo-creds", repository(Place(url, kind, proxy=proxy), given), upsert=upsert))
    click.echo(f"Repository credentials for '{redacted(url)}' added")
    return Exit.DONE
