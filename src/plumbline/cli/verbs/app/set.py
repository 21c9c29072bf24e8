from typing import Any

import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.editing.flags import spec_flags
from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("set", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("--source-position", type=int, default=-1, help="Which of several sources, counting from 1.")
@spec_flags
@connecting()
def verb(
    name: str, app_namespace: str, source_position: int, validate: bool, given: dict[str, Any], where: Where
) -> Exit:
    """Change an application: its source, its destination, its parameters, its policy.

    What is not named stays as it is.
    """
    if not any(value is not None and value != () for value in given.values()):
        raise click.UsageError("Name at least one thing to change.")
    if given["source_name"] and source_position != -1:
        raise click.UsageError("Only one of source-position and source-name can be specified.")

    async def set_() -> bool:
        from plumbline.cli.applications.changing import changed, position_of  # noqa: PLC0415 - loads kinds
        from plumbline.cli.applications.editing.specs import edited  # noqa: PLC0415 - same
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

        def edit(app: JsonObject) -> JsonObject:
            several = (app.get("spec") or {}).get("sources")
            source_name = given["source_name"] if several else None
            position = position_of(app, source_position, source_name or "") if _about_sources(given) else 0
            return edited(app["spec"], given, position)

        async with applications(where) as apps:
            return await changed(apps, apps.named(name, app_namespace), edit, validate=validate)

    if not performed(set_()):
        click.echo(f"application '{name}' unchanged", err=True)
    return Exit.DONE


def _about_sources(given: dict[str, Any]) -> bool:
    from plumbline.cli.applications.editing.sources import EDITS  # noqa: PLC0415 - not for --help

    return any(value is not None and value != () for flag, value in given.items() if flag in EDITS)
