from pathlib import Path
from typing import Final

import click

from plumbline.base.clock import SystemClock
from plumbline.base.environment import home
from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.options import data_option
from plumbline.cli.running import stop

_WITHIN_S: Final = 15.0


@click.command("down")
@common
@data_option
def verb(data: Path | None) -> Exit:
    """Stop what `plumb up` started. What it stored stays; the next `plumb up` goes on with it."""
    folder = data or home() / ".plumbline"
    pid = performed(stop(folder, SystemClock(), _WITHIN_S))
    click.echo(f"stopped process {pid}" if pid else f"nothing runs on {folder}")
    return Exit.DONE
