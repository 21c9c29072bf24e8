import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import Where, name_argument, on_cluster


@click.command("unlock")
@name_argument
@click.option("--lock", default="", metavar="ID", help="Open the lock of this id, whoever holds it.")
@on_cluster
def verb(name: str, lock: str, where: Where) -> Exit:
    """Say who holds the lock on the state; with its id, open it by force.

    Without --lock nothing is changed: exits 0 if nobody holds it, 1 if somebody does. Only open a lock whose run you know to
    be dead: two that write one state lose what the other wrote.
    """

    async def told() -> Exit:
        from plumbline.cli.terminal import plain  # noqa: PLC0415 - not for --help
        from plumbline.cli.terraform.objects.states import holder_of, unlock  # noqa: PLC0415 - loads kinds

        async with where.opened() as terraforms:
            if lock:
                held = await unlock(terraforms, name, lock)
                click.echo(f"Opened: {plain(held.sentence)}" if held else "Nobody holds it any more.", err=True)
                return Exit.DONE
            found = await holder_of(terraforms, name)
            if found is None:
                click.echo("Nobody holds the lock.", err=True)
                return Exit.DONE
            click.echo(plain(found.sentence))
            whose = (
                "It is a run of ours"
                if found.ours
                else "It is not a run of ours, and nobody here knows whether it lives"
            )
            click.echo(
                f"{whose}. If it is dead, open it with: plumb tf unlock {name} --lock {plain(found.id)}", err=True
            )
            return Exit.NO

    return performed(told())
