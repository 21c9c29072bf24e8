from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.keys.options import OPENING, Where, file_argument, identity_option, on_cluster
from plumbline.cli.options import output_option


@click.command("check")
@file_argument
@identity_option(OPENING)
@click.option("--against-cluster", is_flag=True, help="Exit 1 if a key of the cluster is not in it.")
@output_option("wide", "json", "yaml")
@on_cluster
def verb(file: Path, identities: tuple[Path, ...], against_cluster: bool, output: str, where: Where) -> Exit:
    """Open FILE and try out every key in it: each has to open what its certificate seals.

    Without --against-cluster no cluster is asked.
    """
    from plumbline.cli.keys import checking  # noqa: PLC0415 - loads cryptography, which --help must not

    return performed(checking.performed(checking.Asked(where, file, identities, against_cluster, output)))
