import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.keys.options import Where, on_cluster


@click.command("renew")
@on_cluster
def verb(where: Where) -> Exit:
    """Make a new sealing key now, of 4096 bits, and print its fingerprint.

    It is what is sealed for from then on. What older keys sealed goes on to open: they stay.
    """
    from plumbline.cli.keys import renewing  # noqa: PLC0415 - loads cryptography, which --help must not

    performed(renewing.performed(where))
    return Exit.DONE
