from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List applications.",
    "get": "Show one: its sources, its state, its objects.",
    "create": "Create one from flags or from a file.",
    "sync": "Bring the cluster to what Git says.",
    "wait": "Wait until one is synced, healthy, at rest or gone.",
    "diff": "Show what a sync would change.",
    "history": "List past syncs.",
    "rollback": "Go back to a past sync, and stay there.",
    "manifests": "Print what Git asks for, or what is there.",
    "resources": "List the objects of one.",
    "logs": "Print what its pods print.",
    "delete": "Delete one, with everything that it delivers.",
    "set": "Change one.",
    "unset": "Take back what was set.",
    "patch": "Change one by a patch.",
    "edit": "Change one in an editor.",
    "add-source": "Add a source to one that has several.",
    "remove-source": "Take one away.",
    "get-resource": "Show objects of one as they are.",
    "patch-resource": "Change an object of one.",
    "delete-resource": "Delete an object of one.",
    "confirm-deletion": "Agree to deletions that wait for it.",
    "terminate-op": "End the operation that is under way.",
    "actions": "List and run the actions of its objects.",
}


@click.command("app", cls=Lazy, package="plumbline.cli.verbs.app", verbs=VERBS, invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Look at Applications, sync them, and change them.

    With the flags and the tables of Argo CD's `argocd app`. A server is asked where you are logged in to one, and else the
    Kubernetes API of the kubeconfig, as whoever that names.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
