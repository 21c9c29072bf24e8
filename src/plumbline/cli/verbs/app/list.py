import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.options import app_namespace_option, selector_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option


@click.command("list", cls=GoFlags)
@app_namespace_option
@click.option("-c", "--cluster", default="", help="Only those that are deployed to this cluster, by name or address.")
@click.option("-P", "--path", default="", help="Only those of this folder.")
@click.option("-p", "--project", "projects", multiple=True, help="Only those of this project; may be repeated.")
@click.option("-r", "--repo", default="", help="Only those of this repository.")
@selector_option
@output_option("wide", "name", "json", "yaml")
@connecting()
def verb(
    app_namespace: str,
    cluster: str,
    path: str,
    projects: tuple[str, ...],
    repo: str,
    selector: str,
    output: str,
    where: Where,
) -> Exit:
    """List applications."""
    from plumbline.cli.applications import drawing  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.applications.names import AppName  # noqa: PLC0415 - same
    from plumbline.cli.applications.showing import without_managers  # noqa: PLC0415 - same
    from plumbline.cli.output import print_value  # noqa: PLC0415 - same
    from plumbline.delivery.asking.operations import project_of  # noqa: PLC0415 - same

    def wanted(app: JsonObject) -> bool:
        source, destination = drawing.first_source(app), drawing.destination_of(app)
        return (
            (not projects or project_of(app) in projects)
            and repo in {"", source.get("repoURL")}
            and path in {"", source.get("path")}
            and cluster in {"", destination.get("server"), destination.get("name")}
        )

    found = [app for app in performed(_listed(where, app_namespace, selector)) if wanted(app)]
    if output in {"json", "yaml"}:
        print_value([without_managers(app) for app in found], output)
    elif output == "name":
        for app in found:
            click.echo(str(AppName.of(app)))
    else:
        click.echo(drawing.listed(found))
    return Exit.DONE


async def _listed(where: Where, app_namespace: str, selector: str) -> list[JsonObject]:
    from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - loads kinds, which --help must not

    async with applications(where) as apps:
        return await apps.listed(app_namespace=app_namespace, selector=selector)
