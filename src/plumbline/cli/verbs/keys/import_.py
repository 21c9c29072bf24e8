from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.keys.options import OPENING, Where, file_argument, identity_option, on_cluster


@click.command("import")
@file_argument
@identity_option(OPENING)
@click.option("--dry-run", is_flag=True, help="Write nothing; exits 1 if a key would be imported.")
@on_cluster
def verb(file: Path, identities: tuple[Path, ...], dry_run: bool, where: Where) -> Exit:
    """Bring keys back from FILE, or from stdin where it is `-`.

    Every key is tried out first, and one that does not work keeps all of them out. Keys that the cluster has, under whatever
    name, stay as they are; a name that something else has is not taken from it. Secrets that kubectl printed are taken
    too.
    """
    from plumbline.cli.keys import importing  # noqa: PLC0415 - loads cryptography, which --help must not

    return performed(importing.performed(importing.Asked(where, file, identities, dry_run)))
