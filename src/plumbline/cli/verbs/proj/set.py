from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.projecting.flags import spec_flags


@click.command("set", cls=GoFlags)
@click.argument("name", metavar="PROJECT")
@spec_flags
@connecting()
def verb(name: str, given: dict[str, Any], where: Where) -> Exit:
    """Change what a project permits. What is named replaces what was there; what is not named stays as it is."""
    if not any(value is not None and value != () for value in given.values()):
        raise click.UsageError("Name at least one thing to change.")
    from plumbline.cli.projecting.flags import spec_of  # noqa: PLC0415 - not for --help
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - loads kinds, which --help must not

    if not performed(edited(where, name, lambda spec: spec_of(given, spec))):
        click.echo(f"The project {name} is like that already.", err=True)
    return Exit.DONE
