from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "set": "Seal one value into a file, and leave the rest of it alone.",
    "rotate": "Seal again what old keys sealed, as a change for Git.",
}


@click.command("secret", cls=Lazy, package="plumbline.cli.verbs.secret", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """SealedSecrets in files of a repository, changed in place.

    Comments, order and every other character of the files stay as they are, so that a diff shows what was sealed and
    nothing else. Values are never printed.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
