import click

from plumbline.base.errors import InvalidInput
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("add-ssh", cls=GoFlags)
@click.option("--batch", is_flag=True, help="Read known hosts; has to be said.")
@click.option("--from", "path", default="", metavar="FILE", help="From this file instead of stdin.")
@click.option("--upsert", is_flag=True, help="Replace keys that are there and differ.")
@connecting()
def verb(batch: bool, path: str, upsert: bool, where: Where) -> Exit:
    """Add host keys of ssh, in lines as `ssh-keyscan HOST` prints them. All are added, or none."""
    from plumbline.cli.trusting.opening import certificates_at  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.cli.trusting.reading import text_of  # noqa: PLC0415 - same
    from plumbline.source.certificates import certificates_in  # noqa: PLC0415 - same

    if not batch:
        raise InvalidInput("you need to specify --batch or specify --help for usage instructions")
    if path:
        click.echo(f"Reading SSH known hosts entries from file '{path}'")
    else:
        click.echo("Enter SSH known hosts entries, one per line. Press CTRL-D when finished.")
    keys = certificates_in(text_of(path))
    if not keys:
        hint = "Take what `ssh-keyscan HOST` prints, after checking that it is right."
        raise InvalidInput("No valid SSH known hosts data found", hint=hint)

    async def added() -> int:
        async with certificates_at(where) as shelf:
            return len(await shelf.add(keys, upsert=upsert))

    click.echo(f"Successfully created {performed(added())} SSH known host entries")
    return Exit.DONE
