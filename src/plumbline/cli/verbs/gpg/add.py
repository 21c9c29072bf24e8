import click

from plumbline.base.errors import InvalidInput
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("add", cls=GoFlags)
@click.option("-f", "--from", "path", default="", metavar="FILE", help="File with armored public keys.")
@connecting()
def verb(path: str, where: Where) -> Exit:
    """Add all public keys of a file. Those that are there already stay as they are."""
    from plumbline.cli.trusting.opening import keys_at  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.cli.trusting.reading import text_of  # noqa: PLC0415 - same
    from plumbline.source.signatures.publickeys import Imported  # noqa: PLC0415 - same

    if not path:
        raise InvalidInput("--from is mandatory", hint="Export the key to a file with: gpg --armor --export KEYID.")
    text = text_of(path)

    async def added() -> Imported:
        async with keys_at(where) as shelf:
            return await shelf.add(text)

    done = performed(added())
    skipped = f", and {len(done.skipped)} key(s) were skipped because they exist already" if done.skipped else ""
    click.echo(f"Created {len(done.created)} key(s) from input file{skipped}.")
    return Exit.DONE
