import click

from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option


@click.command("resources", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("--orphaned/--no-orphaned", default=None, help="Only what is in its namespace and nobody's; or only its own.")  # fmt: skip
@click.option("--project", default="", hidden=True, expose_value=False)
@output_option("wide", "tree", "tree=detailed", "json", "yaml")
@connecting()
def verb(name: str, app_namespace: str, orphaned: bool | None, output: str, where: Where) -> Exit:
    """List the objects of an application, and those in its namespace that are nobody's.

    As a tree with everything that the objects own. Objects are looked for as nobody's only if the project says so
    (orphanedResources).
    """

    async def shown() -> str:
        from plumbline.cli.applications.inventory import inventory  # noqa: PLC0415 - loads kinds, which --help must not
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

        async with applications(where) as apps:
            app = await apps.get(apps.named(name, app_namespace))
            found = await inventory(apps, app, trees=output.startswith("tree"))
            return found.written(output, own=not orphaned, orphans=orphaned is not False)

    click.echo(performed(shown()))
    return Exit.DONE
