from pathlib import Path
from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.terraform.options import key_option, root_option, tool_options


@click.command("apply")
@click.option("--plan", "digests", multiple=True, metavar="DIGEST", help="Plan to apply, or 12 letters of its digest.")
@click.option("--changed-since", "ref", metavar="REF", default="", help="The plans of all that changed since REF.")
@root_option
@click.option(
    "--plans",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("plans"),
    show_default=True,
    help="Folder with the sealed plans.",
)
@key_option
@tool_options
@common
@click.pass_context
def verb(ctx: click.Context, /, **asked: Any) -> Exit:
    """Apply plans that were reviewed: those bytes, or nothing.

    A plan is applied if the files that it was made of are the same at HEAD, the state is the one that it was made for,
    and the tool has the same version. Otherwise nothing is applied, and the reason is named. Nothing is ever planned
    anew here.
    """
    if bool(asked["digests"]) == bool(asked["ref"]):
        raise click.UsageError("Name plans with --plan, or a commit with --changed-since.", ctx)
    from plumbline.cli.terraform.applying import Asked, applied  # noqa: PLC0415 - loads libgit2, not for --help

    return performed(applied(Asked(**asked)))
