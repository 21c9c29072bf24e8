from typing import Final

import click

from plumbline.cli.group import common
from plumbline.cli.lazy import Lazy

VERBS: Final = {
    "list": "List projects.",
    "get": "Show what one permits.",
    "create": "Make one, from flags or a file.",
    "set": "Change what one permits.",
    "edit": "Change one in an editor.",
    "delete": "Delete one that no application is of.",
    "add-source": "Let it use a repository.",
    "remove-source": "No longer let it.",
    "add-destination": "Let it deliver to a namespace of a cluster.",
    "remove-destination": "No longer let it.",
    "add-source-namespace": "Let its applications be in a namespace.",
    "remove-source-namespace": "No longer let them.",
    "add-signature-key": "Have commits be signed with a key.",
    "remove-signature-key": "No longer ask for that key.",
    "add-orphaned-ignore": "Do not count some objects as orphans.",
    "remove-orphaned-ignore": "Count them again.",
    "add-destination-service-account": "Have it deliver somewhere as an account.",
    "remove-destination-service-account": "No longer as that one.",
    "allow-cluster-resource": "Let it deliver a kind without namespaces.",
    "deny-cluster-resource": "No longer let it.",
    "allow-namespace-resource": "Let it deliver a kind in namespaces.",
    "deny-namespace-resource": "No longer let it.",
    "role": "Roles of a project: who may do what, with which tokens.",
    "source-integrity": "What sources have to prove before they are used.",
    "windows": "When syncs are allowed and when not.",
}
_HOMES: Final = {
    "add-source": "sources", "remove-source": "sources", "add-source-namespace": "sources",
    "remove-source-namespace": "sources", "add-signature-key": "sources", "remove-signature-key": "sources",
    "add-destination": "destinations", "remove-destination": "destinations",
    "add-destination-service-account": "destinations", "remove-destination-service-account": "destinations",
    "add-orphaned-ignore": "kinds", "remove-orphaned-ignore": "kinds", "allow-cluster-resource": "kinds",
    "deny-cluster-resource": "kinds", "allow-namespace-resource": "kinds", "deny-namespace-resource": "kinds",
}  # fmt: skip


@click.command(
    "proj", cls=Lazy, package="plumbline.cli.verbs.proj", verbs=VERBS, homes=_HOMES, invoke_without_command=True
)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Look at projects and change them: what their applications may use, and where they may go."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
