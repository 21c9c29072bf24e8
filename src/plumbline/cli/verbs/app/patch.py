import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.output import print_value


@click.command("patch", cls=GoFlags)
@click.argument("name", metavar="APP")
@click.option("--patch", "body", required=True, help="The patch, as JSON.")
@click.option(
    "--type", "kind", type=click.Choice(["json", "merge"]), default="json", show_default=True, help="Kind of patch."
)
@app_namespace_option
@connecting()
def verb(name: str, body: str, kind: str, app_namespace: str, where: Where) -> Exit:
    """Change an application by a patch, and print what it is then."""
    from plumbline.base.documents import load_json  # noqa: PLC0415 - loads the reader, which --help must not
    from plumbline.base.limits import REQUESTS  # noqa: PLC0415 - same
    from plumbline.cli.applications.showing import without_managers  # noqa: PLC0415 - loads kinds

    change = load_json(body, limits=REQUESTS, source="the patch").value

    async def patched() -> JsonObject:
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - loads kinds, which --help must not

        async with applications(where) as apps:
            at = apps.named(name, app_namespace)
            await apps.get(at)
            return await apps.patch(at, change, kind)

    print_value(without_managers(performed(patched())), "yaml")
    return Exit.DONE
