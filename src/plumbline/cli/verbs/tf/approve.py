import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import Where, comment_option, name_argument, on_cluster, yes_option


@click.command("approve")
@name_argument
@click.option("--plan", default="", metavar="DIGEST", help="Which plan: its digest, or at least 12 digits of it.")
@comment_option
@yes_option
@on_cluster
def verb(name: str, plan: str, comment: str, yes: bool, where: Where) -> Exit:
    """Agree that the plan that waits is applied: this one and no other.

    The plan is shown, and a person is asked. A PlanApproval is made under the name by which the cluster knows you; whether
    your word is enough is what TerraformPolicies say. If the plan that was shown is not the one that waits any more, nothing is
    approved.
    """

    async def decided() -> Exit:
        from plumbline.cli.terraform.objects.approving import Decision, decide, on_terminal  # noqa: PLC0415 - loads kinds

        async with where.opened() as terraforms:
            said = Decision("Approve", plan, comment, None if yes else on_terminal)
            return Exit.DONE if await decide(terraforms, name, said) is not None else Exit.NO

    return performed(decided())
