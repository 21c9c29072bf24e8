from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List Terraform objects.",
    "plan": "Plan an object, or the root modules that a change concerns.",
    "show": "Show the plan that waits.",
    "approve": "Agree that the plan that waits is applied.",
    "reject": "Say that it is not to be applied.",
    "apply": "Plan an object, approve and wait; or apply reviewed plans.",
    "destroy": "Destroy everything that an object has made.",
    "output": "Print outputs.",
    "state": "Look at the state, and bring back an older one.",
    "unlock": "Say who holds the lock on the state, and open it.",
    "suspend": "Leave an object alone.",
    "resume": "Look after it again.",
    "logs": "Print the log of the last run.",
    "comment": "Put a report on a pull request, as one comment that stays.",
}


@click.command("tf", cls=Lazy, package="plumbline.cli.verbs.tf", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Plan and apply Terraform: objects of a cluster, and root modules on pull requests.

    Verbs about objects speak to the Kubernetes API of the kubeconfig, as whoever that names.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
