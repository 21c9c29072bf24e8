import click

from plumbline.base.errors import InvalidInput
from plumbline.cli.asynchronous import performed
from plumbline.cli.compat import called_argocd
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags

_NONE = "No valid certificates have been detected in the stream"


@click.command("add-tls", cls=GoFlags)
@click.argument("server", metavar="SERVERNAME")
@click.option("--from", "path", default="", metavar="FILE", help="From this file instead of stdin.")
@click.option("--upsert", is_flag=True, help="Replace those that are there and differ.")
@connecting()
def verb(server: str, path: str, upsert: bool, where: Where) -> Exit:
    """Add certificates in PEM that the server SERVERNAME is known by, beside the authorities of the system."""
    from plumbline.cli.trusting.opening import certificates_at  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.cli.trusting.reading import text_of  # noqa: PLC0415 - same
    from plumbline.source.certificates import Certificate, unique_blocks  # noqa: PLC0415 - same

    if path:
        click.echo(f"Reading TLS certificate data in PEM format from '{path}'")
    else:
        click.echo("Enter TLS certificate data in PEM format. Press CTRL-D when finished.")
    found = unique_blocks(text_of(path))
    for fingerprint, subject in found.doubles:
        click.echo(
            f"WARNING: Duplicate certificate detected (SHA256 fingerprint {fingerprint}, subject '{subject}'), skipping."
        )
    if not found.blocks:
        if not called_argocd():
            raise InvalidInput(_NONE, hint="Give a file with a line -----BEGIN CERTIFICATE-----.")
        click.echo(f"{_NONE}.")
        return Exit.DONE

    async def added() -> None:
        async with certificates_at(where) as shelf:
            await shelf.add([Certificate(server, "https", content="\n".join(found.blocks))], upsert=upsert)

    performed(added())
    click.echo(
        f"Created/updated TLS certificate entry for repository server {server} with {len(found.blocks)} unique PEM certificates"
    )
    return Exit.DONE
