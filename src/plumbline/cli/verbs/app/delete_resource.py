import click

from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asking import sure
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("delete-resource", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("--kind", required=True, help="Objects of this kind.")
@click.option("--group", default=None, help="Only objects of this group.")
@click.option("--namespace", default="", help="Only objects in this namespace.")
@click.option("--resource-name", default="", help="Only the object of this name.")
@click.option("--all", "all_", is_flag=True, help="Delete all that match.")
@click.option("--force", is_flag=True, help="At once, without a time to end in.")
@click.option("--orphan", is_flag=True, help="Leave what they own.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--project", default="", hidden=True, expose_value=False)
@connecting(namespaced=True)
def verb(
    name: str,
    app_namespace: str,
    kind: str,
    group: str | None,
    namespace: str,
    resource_name: str,
    all_: bool,
    force: bool,
    orphan: bool,
    yes: bool,
    where: Where,
) -> Exit:
    """Delete the object of an application that matches, or with --all every one that does.

    What Git asks for is made again by the next sync.
    """

    async def deleted() -> None:
        from plumbline.cli.applications.objects import Filters, picked  # noqa: PLC0415 - loads kinds, which --help must not
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

        async with applications(where) as apps:
            filters = Filters(group, kind, namespace, resource_name)
            app = await apps.get(apps.named(name, app_namespace))
            for node in await picked(apps, app, filters, several=all_):
                sure(f"Delete {node.shown} in {node.namespace or 'the cluster'}?", yes=yes)
                await apps.behind.objects.delete(app, node, orphan=orphan, force=force)
                click.echo(f"Resource '{node.shown}' deleted")

    performed(deleted())
    return Exit.DONE
