import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asking import sure
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("remove-source", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("--source-position", type=int, default=-1, help="Which source, counting from 1.")
@click.option("--source-name", default="", help="Which source, by name.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting()
def verb(name: str, app_namespace: str, source_position: int, source_name: str, yes: bool, where: Where) -> Exit:
    """Take a source from an application that has several. What it delivers alone is pruned by the next sync that prunes."""
    if (source_position > 0) == bool(source_name):
        raise click.UsageError("Name the source with one of --source-position, counting from 1, and --source-name.")
    sure(f"Take a source from {name}?", yes=yes)

    async def removed() -> None:
        from plumbline.base.errors import InvalidInput  # noqa: PLC0415 - not for --help
        from plumbline.cli.applications.changing import changed, position_of  # noqa: PLC0415 - loads kinds
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

        def edit(app: JsonObject) -> JsonObject:
            several = app["spec"].get("sources") or []
            if len(several) < 2:  # noqa: PLR2004 - one has to be left
                raise InvalidInput(f"{name} keeps its source", why="it is the only one")
            at = position_of(app, source_position, source_name)
            return {**app["spec"], "sources": [*several[: at - 1], *several[at:]]}

        async with applications(where) as apps:
            await changed(apps, apps.named(name, app_namespace), edit, validate=True)

    performed(removed())
    click.echo(f"Application '{name}' updated successfully")
    return Exit.DONE
