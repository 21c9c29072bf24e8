from pathlib import Path
from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import Where, meant_on_cluster, on_cluster, waiting_option
from plumbline.cli.terraform.options import key_option, root_option, tool_options


@click.command("plan")
@click.argument("name", default="", metavar="[NAME]")
@click.option("--changed-since", "ref", metavar="REF", default="", help="Branch or commit that the change is against.")
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
@waiting_option
@on_cluster
@click.pass_context
def verb(ctx: click.Context, /, name: str, where: Where, timeout: float, **asked: Any) -> Exit:
    """Plan the root modules that a change concerns, and print one report; with NAME, a Terraform object of the cluster.

    With NAME a new plan is asked for, and shown once it is there; nothing is applied that would not have been applied
    without. Only the options of the cluster and --timeout are about it.

    A change is what HEAD has and REF did not have when their histories parted, as on a pull request. A root module is
    concerned if one of its files changed, a local module that it uses, a file that it reads, or its variables. Secret
    values are never printed. With --out, the plans are kept for `plumb tf apply`, sealed with a key.

    Exits 0 if nothing would change, 1 if something would, 3 if one of them could not be planned.
    """
    if meant_on_cluster(ctx, name):

        async def made() -> Exit:
            from plumbline.cli.terraform.objects.runs import opened_runs  # noqa: PLC0415 - loads kinds

            async with where.opened() as terraforms:
                return await opened_runs(terraforms, timeout).plan(name)

        return performed(made())
    if not asked["ref"]:
        raise click.UsageError("Name a Terraform object, or a commit with --changed-since.", ctx)
    from plumbline.cli.terraform.planning import Asked, planned  # noqa: PLC0415 - loads libgit2, not for --help

    return performed(planned(Asked(**asked)))
