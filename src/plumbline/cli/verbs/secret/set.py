from pathlib import Path
from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.sealing.options import Where, namespace_option, scope_option, sealing


@click.command("set")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("key")
@click.option(
    "--value-from-file",
    "value_file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="File with the value; - for stdin.",
)
@click.option("--name", default="", metavar="NAME", help="Which SealedSecret of the file; or the name of a new one.")
@namespace_option("Namespace, where the file does not say it.")
@scope_option
@click.option("--allow-empty-data", "allow_empty", is_flag=True, help="Seal an empty value, too.")
@sealing
def verb(where: Where, scope: Any, **asked: Any) -> Exit:
    """Seal one value as KEY into the SealedSecret in FILE, and leave every other character of it as it is.

    The value comes from --value-from-file, else from stdin, byte for byte; at a terminal it is asked for twice, without
    echo. Where there is no FILE, it is made, with --name and --namespace.
    """
    from plumbline.cli.sealing import setting  # noqa: PLC0415 - loads cryptography, which --help must not

    performed(setting.performed(setting.Asked(where=where, scope=scope, **asked)))
    return Exit.DONE
