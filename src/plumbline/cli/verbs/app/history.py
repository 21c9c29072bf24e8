import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("history", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@output_option("wide", "id", "json", "yaml")
@connecting()
def verb(name: str, app_namespace: str, output: str, where: Where) -> Exit:
    """List the past syncs of an application; each can be gone back to."""
    from plumbline.cli.applications import drawing  # noqa: PLC0415 - loads kinds, which --help must not

    app = performed(_app(where, name, app_namespace))
    entries = (app.get("status") or {}).get("history") or []
    if output in {"json", "yaml"}:
        print_value(entries, output)
    elif output == "id":
        for entry in entries:
            click.echo(str(entry.get("id")))
    elif entries:
        click.echo(drawing.history(app))
    return Exit.DONE


async def _app(where: Where, name: str, app_namespace: str) -> JsonObject:
    from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - loads kinds, which --help must not

    async with applications(where) as apps:
        return await apps.get(apps.named(name, app_namespace))
