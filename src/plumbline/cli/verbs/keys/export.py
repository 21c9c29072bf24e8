from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.keys.options import Where, identity_option, on_cluster


@click.command("export")
@click.option(
    "-r",
    "--recipient",
    "recipients",
    multiple=True,
    metavar="TEXT|FILE",
    help="Who can open it: age1…, an SSH public key, or a file with those, a certificate or a public key in PEM. May be repeated.",
)
@click.option(
    "-w",
    "--write",
    "output",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="File to write, for its owner alone to read; stdout if not given.",
)
@identity_option("Identity of a recipient, to see that it opens what is written. May be repeated.")
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@on_cluster
def verb(
    recipients: tuple[str, ...], output: Path | None, identities: tuple[Path, ...], force: bool, where: Where
) -> Exit:
    """Put the sealing keys of a cluster into a file that only the recipients can open.

    The file is one of age, or CMS in PEM, and holds a List of Secrets as `kubectl apply` takes it: to get them back needs
    nothing of ours. Before it is written it is opened again and compared. Then it is noted on each key that it was put
    aside, and the warnings about it end. Keys in the clear are never written.
    """
    from plumbline.cli.keys import exporting  # noqa: PLC0415 - loads cryptography, which --help must not

    performed(exporting.performed(exporting.Asked(where, recipients, output, identities, force)))
    return Exit.DONE
