from typing import Final

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.projecting.values import resource

_FIELDS: Final = {
    (False, "allow"): "clusterResourceWhitelist",
    (False, "deny"): "clusterResourceBlacklist",
    (True, "allow"): "namespaceResourceWhitelist",
    (True, "deny"): "namespaceResourceBlacklist",
}
_DONE: Final = {True: "is added to", False: "is removed from"}


def _listing(name: str, about: str, *, allow: bool, namespaced: bool) -> click.Command:
    """One of four alike: what is allowed goes into the list of what is, or out of that of what is not."""

    @click.command(name, cls=GoFlags, help=about)
    @click.argument("project", metavar="PROJECT")
    @click.argument("group", metavar="GROUP")
    @click.argument("kind", metavar="KIND")
    @click.argument("pattern", metavar="" if namespaced else "[NAME]", default="", required=False)
    @click.option(
        "-l",
        "--list",
        "which",
        type=click.Choice(["allow", "deny"]),
        default="deny" if namespaced else "allow",
        show_default=True,
        help="The list to change: what is allowed, or what is denied.",
    )
    @connecting()
    def verb(project: str, group: str, kind: str, pattern: str, which: str, where: Where) -> Exit:
        if namespaced and pattern:
            raise click.UsageError("Only kinds without namespaces can be limited to names.")
        from plumbline.cli.projecting.edits import listed  # noqa: PLC0415 - not for --help
        from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - loads kinds, which --help must not

        add = allow == (which == "allow")
        edit = listed(_FIELDS[namespaced, which], resource(group, kind, pattern), add=add)
        if performed(edited(where, project, edit)):
            named = f", and name '{pattern}'" if pattern else ""
            sort = (
                f"{'allowed' if which == 'allow' else 'denied'} {'namespaced' if namespaced else 'cluster'} resources"
            )
            click.echo(f"Group '{group}' and kind '{kind}'{named} {_DONE[add]} {sort}")
        return Exit.DONE

    return verb


allow_cluster_resource = _listing(
    "allow-cluster-resource",
    "Let a project deliver a kind that has no namespaces, perhaps only under some NAME, which may be a pattern.",
    allow=True,
    namespaced=False,
)
deny_cluster_resource = _listing(
    "deny-cluster-resource",
    "No longer let a project deliver a kind that has no namespaces.",
    allow=False,
    namespaced=False,
)
allow_namespace_resource = _listing(
    "allow-namespace-resource",
    "Let a project deliver a kind that is in namespaces: take it from the list of what is denied.",
    allow=True,
    namespaced=True,
)
deny_namespace_resource = _listing(
    "deny-namespace-resource",
    "No longer let a project deliver a kind that is in namespaces.",
    allow=False,
    namespaced=True,
)


@click.command("add-orphaned-ignore", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("group", metavar="GROUP")
@click.argument("kind", metavar="KIND")
@click.option("--name", default="", help="Only those of this name, which may be a pattern.")
@connecting()
def add_orphaned_ignore(project: str, group: str, kind: str, name: str, where: Where) -> Exit:
    """Do not count objects of a kind as orphans of a project."""
    from plumbline.cli.projecting.edits import ignoring  # noqa: PLC0415 - not for --help
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    performed(edited(where, project, ignoring(resource(group, kind, name))))
    return Exit.DONE


@click.command("remove-orphaned-ignore", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("group", metavar="GROUP")
@click.argument("kind", metavar="KIND")
@click.option("--name", default="", help="Only those of this name, which may be a pattern.")
@connecting()
def remove_orphaned_ignore(project: str, group: str, kind: str, name: str, where: Where) -> Exit:
    """Count objects of a kind as orphans again."""
    from plumbline.cli.projecting.edits import not_ignoring  # noqa: PLC0415 - not for --help
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    performed(edited(where, project, not_ignoring(resource(group, kind, name))))
    return Exit.DONE
