import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import Where, comment_option, name_argument, on_cluster, yes_option


@click.command("reject")
@name_argument
@click.option("--plan", default="", metavar="DIGEST", help="Which plan: its digest, or at least 12 digits of it.")
@comment_option
@yes_option
@on_cluster
def verb(name: str, plan: str, comment: str, yes: bool, where: Where) -> Exit:
    """Say that the plan that waits is not to be applied, whoever else approves it.

    The plan is shown, and a person is asked. A PlanApproval with the decision Reject is made under the name by which the
    cluster knows you. Another plan is another matter.
    """

    async def decided() -> Exit:
        from plumbline.cli.terraform.objects.approving import Decision, decide, on_terminal  # noqa: PLC0415 - loads kinds

        async with where.opened() as terraforms:
            said = Decision("Reject", plan, comment, None if yes else on_terminal)
            return Exit.DONE if await decide(terraforms, name, said) is not None else Exit.NO

    return performed(decided())
