from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

import click

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject
from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.compat import called_argocd
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value

if TYPE_CHECKING:
    from plumbline.delivery.tree import Node


@click.command("get-resource", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("--kind", required=True, help="Objects of this kind.")
@click.option("--group", default=None, help="Only objects of this group.")
@click.option("--resource-name", default="", help="Only the object of this name.")
@click.option("--filter-fields", "paths", multiple=True, help="Only these fields, dotted, separated by commas.")
@click.option("--show-managed-fields", "managers", is_flag=True, help="With who wrote which field.")
@click.option("--project", default="", hidden=True, expose_value=False)
@output_option("wide", "yaml", "json")
@connecting()
def verb(
    name: str,
    app_namespace: str,
    kind: str,
    group: str | None,
    resource_name: str,
    paths: tuple[str, ...],
    managers: bool,
    output: str,
    where: Where,
) -> Exit:
    """Show objects of an application as they are: all of a kind, or one. Values of Secrets are masked."""

    async def found() -> list[JsonObject]:
        from plumbline.cli.applications.objects import Filters, narrowed, picked  # noqa: PLC0415 - loads kinds
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same
        from plumbline.cli.looking.hiding import shown  # noqa: PLC0415 - same

        wanted = [part for text in paths for part in text.split(",") if part]
        async with applications(where) as apps:
            filters = Filters(group, kind, "", resource_name)
            app = await apps.get(apps.named(name, app_namespace))
            nodes: list[Node] = []
            with suppress(NotFound) if called_argocd() else nullcontext():  # none are an answer like any other, there
                nodes = await picked(apps, app, filters, several=True)
            objects = [await apps.behind.objects.whole(app, node) for node in nodes]
            return [narrowed(shown(each, managers=managers), wanted) for each in objects]

    objects = performed(found())
    if output == "wide":
        from plumbline.cli.applications.objects import fields  # noqa: PLC0415 - same

        click.echo(fields(objects))
        return Exit.DONE
    for at, obj in enumerate(objects):
        if at:
            click.echo("---")
        print_value(obj, output)
    return Exit.DONE
