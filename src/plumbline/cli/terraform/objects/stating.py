"""What `plumb tf state` prints."""

import sys
from pathlib import Path

import click

from plumbline.base.errors import InvalidInput
from plumbline.cli.terminal import plain, table
from plumbline.cli.terraform.objects.drawing import prefix, short
from plumbline.cli.terraform.objects.states import restore, versions
from plumbline.terraform.objects.states import state_of
from plumbline.terraform.objects.store import Terraforms


async def resources(terraforms: Terraforms, name: str) -> None:
    found = await state_of(terraforms, name)
    for each in found.instances:
        tainted = " (tainted)" if each.tainted else ""
        deposed = f" (deposed {each.deposed})" if each.deposed else ""
        click.echo(plain(f"{each.address}{tainted}{deposed}"))
    click.echo(f"{found.place}: serial {found.serial}, lineage {plain(found.lineage)}", err=True)


async def pulled(terraforms: Terraforms, name: str, *, reveal: bool) -> None:
    """To a file or a program; to a terminal only for those who say so."""
    found = await state_of(terraforms, name)
    if sys.stdout.isatty() and not reveal:
        raise InvalidInput(
            "the state is not printed to a terminal",
            why="it holds every secret of its resources",
            hint="Write it to a file, or say --reveal.",
        )
    click.echo(found.text.reveal(), nl=False)


async def copies(terraforms: Terraforms, name: str, folder: Path) -> None:
    found = await versions(terraforms, name, folder)
    rows = [
        (str(each.serial), each.at, str(each.resources), short(each.revision), prefix(each.plan), each.name)
        for each in found
    ]
    if rows:
        click.echo(table(("SERIAL", "AT", "RESOURCES", "REVISION", "PLAN", "COPY"), rows))
    else:
        click.echo(f"There are no copies of the state of {name}.", err=True)


async def restored(terraforms: Terraforms, name: str, version: str, folder: Path, *, over: bool) -> None:
    done = await restore(terraforms, name, version, folder, over=over)
    if not done.written:
        click.echo(f"The state is that of serial {done.serial} already.", err=True)
        return
    click.echo(
        f"Restored serial {done.serial} with {done.resources} resources. Plan before anything else: plumb tf plan {name}",
        err=True,
    )
