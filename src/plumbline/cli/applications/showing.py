"""An application on stdout, as `get`, `sync`, `wait` and `rollback` show it."""

from collections.abc import Callable

import click

from plumbline.base.clock import Clock
from plumbline.base.json import JsonObject
from plumbline.cli.applications import drawing
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.cli.applications.windows import windows_of
from plumbline.cli.output import print_value
from plumbline.delivery.settings.reading import CONTROL_PLANE

Lines = Callable[[], list[str]]


def without_managers(app: JsonObject) -> JsonObject:
    """For people and programs alike: who wrote which field fills pages, and `kubectl --show-managed-fields` shows it."""
    metadata = {name: value for name, value in (app.get("metadata") or {}).items() if name != "managedFields"}
    return {**app, "metadata": metadata}


async def url_of(apps: Applications, name: AppName) -> str:
    """Where people see it; empty where the installation does not say where it is."""
    config = await apps.config_map(CONTROL_PLANE)
    url = str(((config or {}).get("data") or {}).get("url") or "").rstrip("/")
    return f"{url}/applications/{name}" if url else ""


async def show(apps: Applications, app: JsonObject, output: str, clock: Clock, *, operation: bool) -> None:
    """The whole application in the form that was asked for."""
    if output in {"json", "yaml"}:
        print_value(without_managers(app), output)
        return
    if output == "name":
        click.echo(str(AppName.of(app)))
        return
    name = AppName.of(app)
    lines = drawing.summary(app, await url_of(apps, name), await windows_of(apps, app, clock))
    if operation and (told := drawing.operation(app, clock.now())):
        lines += ["", *told]
    for section in (drawing.conditions(app), await _objects(apps, app, output, clock)):
        if section:
            lines += ["", section]
    click.echo("\n".join(lines))


async def _objects(apps: Applications, app: JsonObject, output: str, clock: Clock) -> str:
    if not output.startswith("tree"):
        return drawing.resources(app)
    from plumbline.cli.applications.trees import drawn, tell_unread  # noqa: PLC0415 - only who asks for it waits for it

    tree = await apps.behind.objects.tree(app)
    tell_unread(tree)
    return drawn(tree, app, clock.now(), detailed=output == "tree=detailed")
