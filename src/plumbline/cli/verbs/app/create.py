from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plumbline.cli.applications.editing.flags import spec_flags
from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags

if TYPE_CHECKING:
    from plumbline.base.json import JsonObject


@click.command("create", cls=GoFlags)
@click.argument("name", metavar="[APP]", default="")
@click.option("--name", "also_name", default="", hidden=True)
@click.option(
    "-f",
    "--file",
    type=click.Path(exists=True, allow_dash=True, dir_okay=False, path_type=Path),
    help="File with Applications; - for stdin.",
)
@click.option("--upsert", is_flag=True, help="Change it if it is there already.")
@click.option("-l", "--label", "labels", multiple=True, help="Label, as KEY=VALUE; may be repeated.")
@click.option("--annotations", multiple=True, help="Annotation, as KEY=VALUE; may be repeated.")
@click.option("--set-finalizer", is_flag=True, help="Have everything that it delivers deleted together with it.")
@app_namespace_option
@spec_flags
@connecting()
def verb(
    name: str,
    also_name: str,
    file: Path | None,
    upsert: bool,
    labels: tuple[str, ...],
    annotations: tuple[str, ...],
    set_finalizer: bool,
    app_namespace: str,
    validate: bool,
    given: dict[str, Any],
    where: Where,
) -> Exit:
    """Create an application from flags, or all of a file.

    Nothing is changed if there is one of that name and it differs, unless --upsert is given. It is checked against its
    project and destination first; whether its repository can be read shows once it is looked at.
    """
    if not (name or also_name or file):
        raise click.UsageError("Name the application, or a file with -f.")
    if name and also_name and name != also_name:
        raise click.UsageError(f"--name says {also_name!r}, and the argument {name!r}.")
    from plumbline.cli.applications.creating import Called, Meta, from_file, from_flags  # noqa: PLC0415 - loads kinds
    from plumbline.delivery.asking.deletion import FINALIZER  # noqa: PLC0415 - same

    meta = Meta(labels, annotations, FINALIZER if set_finalizer else "")
    if file is None:
        found = [from_flags(name or also_name, given, meta)]
    else:
        found = from_file(file, Called(expected=name, instead=also_name), given, meta)
    placed = [_placed(app, app_namespace) for app in found]
    performed(_created(where, placed, upsert=upsert, validate=validate))
    return Exit.DONE


def _placed(app: "JsonObject", namespace: str) -> "JsonObject":
    return {**app, "metadata": {**app["metadata"], "namespace": namespace}} if namespace else app


async def _created(where: Where, found: "list[JsonObject]", *, upsert: bool, validate: bool) -> None:
    from plumbline.cli.applications.creating import created  # noqa: PLC0415 - loads kinds
    from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

    async with applications(where) as apps:
        for app in found:
            name, what = await created(apps, app, upsert=upsert, validate=validate)
            click.echo(f"application '{name.name}' {what}")
