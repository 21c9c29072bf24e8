import click

from plumbline.cli.asking import sure
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("delete", cls=GoFlags)
@click.argument("names", nargs=-1, required=True, metavar="PROJECT...")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting()
def verb(names: tuple[str, ...], yes: bool, where: Where) -> Exit:
    """Delete projects. One that applications are of is refused, and so is default."""
    from plumbline.cli.projecting.store import deleted  # noqa: PLC0415 - loads kinds, which --help must not

    for name in names:
        sure(f"Delete the project {name}?", yes=yes)
        performed(deleted(where, name))
        click.echo(f"Project '{name}' deleted", err=True)
    return Exit.DONE
