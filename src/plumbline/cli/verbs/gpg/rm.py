import click

from plumbline.base.errors import InvalidInput
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("rm", cls=GoFlags)
@click.argument("key_id", metavar="KEYID", required=False, default="")
@connecting()
def verb(key_id: str, where: Where) -> Exit:
    """Remove the public key KEYID: an id, a fingerprint, or the name of an entry that is no key."""
    from plumbline.cli.trusting.opening import keys_at  # noqa: PLC0415 - loads the client, which --help must not

    if not key_id:
        raise InvalidInput("Missing KEYID argument", hint="See which there are with: plumb gpg list.")

    async def removed() -> None:
        async with keys_at(where) as shelf:
            await shelf.remove(key_id)

    performed(removed())
    click.echo(f"Deleted key with key ID {key_id}")
    return Exit.DONE
