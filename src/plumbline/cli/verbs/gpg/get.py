import click

from plumbline.base.errors import InvalidInput
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("get", cls=GoFlags)
@click.argument("key_id", metavar="KEYID", required=False, default="")
@output_option("wide", "json", "yaml")
@connecting()
def verb(key_id: str, output: str, where: Where) -> Exit:
    """Show the public key KEYID, which is an id or a fingerprint, with its content."""
    from plumbline.cli.trusting.drawing import key  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.cli.trusting.opening import keys_at  # noqa: PLC0415 - same
    from plumbline.source.signatures.publickeys import PublicKey  # noqa: PLC0415 - same

    if not key_id:
        raise InvalidInput("Missing KEYID argument", hint="See which there are with: plumb gpg list.")

    async def looked() -> PublicKey:
        async with keys_at(where) as shelf:
            return await shelf.one(key_id)

    found = performed(looked())
    if output == "wide":
        click.echo(key(found))
    else:
        print_value(found.as_json(), output)
    return Exit.DONE
