import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("edit", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@connecting()
def verb(name: str, app_namespace: str, where: Where) -> Exit:
    """Change the spec of an application in $VISUAL or $EDITOR, as YAML. What cannot be used comes back with the reason."""
    from plumbline.cli.applications.changing import changed  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same
    from plumbline.cli.editor import edited_spec  # noqa: PLC0415 - same

    async def shown() -> JsonObject:
        async with applications(where) as apps:
            spec: JsonObject = (await apps.get(apps.named(name, app_namespace)))["spec"]
            return spec

    async def written(spec: JsonObject) -> None:
        async with applications(where) as apps:
            await changed(apps, apps.named(name, app_namespace), lambda _: spec, validate=True)

    if not edited_spec(performed(shown()), f"application {name}", lambda spec: performed(written(spec))):
        click.echo("Nothing was changed.", err=True)
    return Exit.DONE
