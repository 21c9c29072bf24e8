import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("list", cls=GoFlags)
@click.option("--cert-type", type=click.Choice(["ssh", "https"]), default=None, help="Only of this type.")
@click.option("--hostname-pattern", default="", help="Only of hosts that fit, where * and ? stand for others.")
@click.option("--sort", type=click.Choice(["hostname", "type"]), default="hostname", help="By what to sort the table.")
@output_option("wide", "json", "yaml")
@connecting()
def verb(cert_type: str | None, hostname_pattern: str, sort: str, output: str, where: Where) -> Exit:
    """List host keys and certificates, with the fingerprint of each key and whom each certificate is for."""
    from plumbline.cli.trusting.drawing import certificates  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.cli.trusting.opening import certificates_at  # noqa: PLC0415 - same
    from plumbline.source.certificates import Certificate, Selector  # noqa: PLC0415 - same

    async def listed() -> list[Certificate]:
        async with certificates_at(where) as shelf:
            return await shelf.listed(Selector(hostname_pattern, cert_type or ""))

    found = performed(listed())
    if output == "wide":
        click.echo(certificates(found, sort))
    else:
        print_value([each.as_json() for each in found], output)
    return Exit.DONE
