import click

from plumbline.base.errors import InvalidInput
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.terminal import plain


@click.command("rm", cls=GoFlags)
@click.argument("pattern", metavar="REPOSERVER")
@click.option("--cert-type", type=click.Choice(["ssh", "https"]), default=None, help="Only of this type.")
@click.option("--cert-sub-type", default="", help="Only keys of this kind; for ssh.")
@connecting()
def verb(pattern: str, cert_type: str | None, cert_sub_type: str, where: Where) -> Exit:
    """Remove host keys and certificates of REPOSERVER, in which * and ? stand for others."""
    from plumbline.cli.trusting.opening import certificates_at  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.source.certificates import Certificate, Selector  # noqa: PLC0415 - same

    if pattern == "*":
        raise InvalidInput("A single wildcard is not allowed as REPOSERVER name", hint="Use ?* if every host is meant.")
    if not pattern:
        raise InvalidInput("nothing is removed", why="no host is named")

    async def removed() -> list[Certificate]:
        async with certificates_at(where) as shelf:
            return await shelf.remove(Selector(pattern, cert_type or "", cert_sub_type))

    found = performed(removed())
    for each in found:
        click.echo(f"Removed cert for '{plain(each.server)}' of type '{each.type}' (subtype '{plain(each.subtype)}')")
    if not found:
        click.echo("No certificates were removed (none matched the given pattern)")
    return Exit.DONE
