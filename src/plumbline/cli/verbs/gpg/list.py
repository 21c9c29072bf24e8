import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("list", cls=GoFlags)
@output_option("wide", "json", "yaml")
@connecting()
def verb(output: str, where: Where) -> Exit:
    """List the public keys whose signatures count: of OpenPGP, and of ssh. An entry that is no key says why."""
    from plumbline.cli.trusting.drawing import keys  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.cli.trusting.opening import keys_at  # noqa: PLC0415 - same
    from plumbline.source.signatures.publickeys import PublicKey  # noqa: PLC0415 - same

    async def listed() -> list[PublicKey]:
        async with keys_at(where) as shelf:
            return await shelf.listed()

    found = performed(listed())
    if output == "wide":
        click.echo(keys(found))
    else:
        print_value([each.as_json(whole=False) for each in found], output)
    return Exit.DONE
