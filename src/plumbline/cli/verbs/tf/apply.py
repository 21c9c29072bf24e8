from pathlib import Path
from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import (
    Where,
    comment_option,
    meant_on_cluster,
    on_cluster,
    waiting_option,
    yes_option,
)
from plumbline.cli.terraform.options import key_option, root_option, tool_options


@click.command("apply")
@click.argument("name", default="", metavar="[NAME]")
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
@comment_option
@yes_option
@waiting_option
@on_cluster
@click.pass_context
def verb(ctx: click.Context, /, name: str, where: Where, **asked: Any) -> Exit:
    """Apply plans that were reviewed: those bytes, or nothing; with NAME, a Terraform object of the cluster.

    With NAME a new plan is made, shown, approved under your name once you said yes, and waited for. Exits 0 once it is applied,
    or where nothing is to do; 1 if you said no, 3 if it failed, 6 if another plan came in between, 8 if others have to approve
    it too.

    A plan is applied if the files that it was made of are the same at HEAD, the state is the one that it was made for,
    and the tool has the same version. Otherwise nothing is applied, and the reason is named. Nothing is ever planned
    anew here.
    """
    timeout, yes, comment = (asked.pop(each) for each in ("timeout", "yes", "comment"))
    if meant_on_cluster(ctx, name):

        async def done() -> Exit:
            from plumbline.cli.terraform.objects.runs import opened_runs  # noqa: PLC0415 - loads kinds

            async with where.opened() as terraforms:
                return await opened_runs(terraforms, timeout, yes=yes, comment=comment).apply(name)

        return performed(done())
    if bool(asked["digests"]) == bool(asked["ref"]):
        raise click.UsageError("Name a Terraform object, plans with --plan, or a commit with --changed-since.", ctx)
    from plumbline.cli.terraform.applying import Asked, applied  # noqa: PLC0415 - loads libgit2, not for --help

    return performed(applied(Asked(**asked)))
