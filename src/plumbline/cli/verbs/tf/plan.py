from pathlib import Path
from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.terraform.options import key_option, root_option, tool_options


@click.command("plan")
@click.option(
    "--changed-since", "ref", metavar="REF", required=True, help="Branch or commit that the change is against."
)
@root_option
@click.option("--uncommitted", is_flag=True, help="What is not committed counts too.")
@click.option(
    "--var-file", "var_files", multiple=True, metavar="FILE", help="Variables for all, from the repository's root."
)
@click.option("--parallel", type=click.IntRange(1, 32), default=2, show_default=True, help="How many at once.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for sealed plans, report.md and report.json.",
)
@key_option
@tool_options
@click.option(
    "--forge",
    type=click.Choice(["github", "gitlab", "gitea", "bitbucket", "azure"]),
    default="github",
    show_default=True,
    help="Whose comments the report has to fit into.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json", "text"]),
    default="markdown",
    show_default=True,
    help="How to print the report.",
)
@common
def verb(**asked: Any) -> Exit:
    """Plan the root modules that a change concerns, and print one report.

    A change is what HEAD has and REF did not have when their histories parted, as on a pull request. A root module is
    concerned if one of its files changed, a local module that it uses, a file that it reads, or its variables. Secret
    values are never printed. With --out, the plans are kept for `plumb tf apply`, sealed with a key.

    Exits 0 if nothing would change, 1 if something would, 3 if one of them could not be planned.
    """
    from plumbline.cli.terraform.planning import Asked, planned  # noqa: PLC0415 - loads libgit2, not for --help

    return performed(planned(Asked(**asked)))
