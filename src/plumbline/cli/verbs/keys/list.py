import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.keys.options import Where, on_cluster
from plumbline.cli.options import output_option


@click.command("list")
@output_option("wide", "json", "yaml")
@on_cluster
def verb(output: str, where: Where) -> Exit:
    """List the sealing keys of a cluster: which is the newest, which were put aside, when and for whom."""
    from plumbline.cli.keys import listing  # noqa: PLC0415 - loads cryptography, which --help must not

    performed(listing.performed(where, output))
    return Exit.DONE
