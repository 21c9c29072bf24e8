from pathlib import Path
from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import data_option
from plumbline.cli.repositories.flags import credential_flags
from plumbline.cli.repositories.listing import added


@click.command("add", cls=GoFlags)
@click.argument("url", metavar="URL")
@credential_flags("git", "helm", "oci")
@click.option("--name", default="", help="Name of it; needed for Helm repositories.")
@click.option("--project", default="", help="Only for this project.")
@click.option("--insecure-skip-server-verification", "insecure", is_flag=True, help="Do not check its certificate or host key.")  # fmt: skip
@click.option("--insecure-ignore-host-key", "ignore_host_key", is_flag=True, hidden=True)
@click.option("--enable-lfs", "lfs", is_flag=True, help="Fetch large files.")
@click.option("--depth", type=click.IntRange(0), default=0, help="How many commits to fetch; 0 for all.")
@click.option("--proxy", default="", help="Proxy on the way there.")
@click.option("--no-proxy", default="", help="Hosts that need none.")
@click.option("--upsert", is_flag=True, help="Replace it if it is there and differs.")
@click.option("--webhook-manifest-cache-warm-disabled", is_flag=True, hidden=True, expose_value=False)
@data_option
@connecting()
def verb(
    url: str,
    given: dict[str, Any],
    kind: Any,
    name: str,
    project: str,
    insecure: bool,
    ignore_host_key: bool,
    lfs: bool,
    depth: int,
    proxy: str,
    no_proxy: str,
    upsert: bool,
    data: Path | None,
    where: Where,
) -> Exit:
    """Say as whom we come to the repository at URL: nobody, a user, a token, a key, a GitHub App.

    It is tried first, by the server that you are logged in to or else from here, and is not kept if it does not answer.
    """
    if kind == "helm" and not name:
        raise click.UsageError("Helm repositories need a --name.")
    from plumbline.cli.repositories.making import Place, repository  # noqa: PLC0415 - not for --help
    from plumbline.source.urls import checked, redacted, registry  # noqa: PLC0415 - same

    registry(url) if kind == "oci" or given["enable_oci"] else checked(url, local=kind == "git")
    if given["username"] and not given["password"]:
        given["password"] = click.prompt("Password", hide_input=True, err=True)
    place = Place(url, kind, name, project, insecure or ignore_host_key, lfs, depth, proxy, no_proxy)
    performed(added(where, "repository", repository(place, given), upsert=upsert, data=data))
    click.echo(f"Repository '{redacted(url)}' added")
    return Exit.DONE
