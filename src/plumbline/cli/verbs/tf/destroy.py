import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import (
    Where,
    comment_option,
    name_argument,
    on_cluster,
    waiting_option,
    yes_option,
)


@click.command("destroy")
@name_argument
@comment_option
@yes_option
@waiting_option
@on_cluster
def verb(name: str, comment: str, yes: bool, timeout: float, where: Where) -> Exit:
    """Destroy everything that an object has made, by a plan that waits for you. The object stays.

    Sets spec.destroy, and spec.approvePlan to manual, so that nothing is made again by itself afterwards. Whoever says no to
    the plan gets both set back.

    Deleting the object (`kubectl delete terraform NAME`) is something else: what it made stays, and so does the state, unless
    spec.destroyResourcesOnDeletion is set.
    """

    async def destroyed() -> Exit:
        from plumbline.cli.terraform.objects.runs import opened_runs  # noqa: PLC0415 - loads kinds

        async with where.opened() as terraforms:
            return await opened_runs(terraforms, timeout, yes=yes, comment=comment).destroy(name)

    return performed(destroyed())
