from typing import Any

import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.editing.flags import spec_flags
from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("add-source", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@spec_flags
@connecting()
def verb(name: str, app_namespace: str, validate: bool, given: dict[str, Any], where: Where) -> Exit:
    """Add a source to an application that has several, at the end of them."""
    if not given.get("repo"):
        raise click.UsageError("A source has a repository: name it with --repo.")

    async def added() -> None:
        from plumbline.base.errors import InvalidInput  # noqa: PLC0415 - not for --help
        from plumbline.cli.applications.changing import changed  # noqa: PLC0415 - loads kinds, which --help must not
        from plumbline.cli.applications.editing.specs import edited  # noqa: PLC0415 - same
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

        def edit(app: JsonObject) -> JsonObject:
            spec = app["spec"]
            several = spec.get("sources") or []
            if not several:
                hint = "Move what is in spec.source to spec.sources first: plumb app edit."
                raise InvalidInput(f"{name} gets no second source", why="it does not have spec.sources", hint=hint)
            return edited({**spec, "sources": [*several, {}]}, given, len(several) + 1)

        async with applications(where) as apps:
            await changed(apps, apps.named(name, app_namespace), edit, validate=validate)

    performed(added())
    click.echo(f"Application '{name}' updated successfully")
    return Exit.DONE
