from pathlib import Path

import click

from plumbline.base.environment import home
from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.options import data_option
from plumbline.cli.terraform.objects.options import Where, name_argument, on_cluster


@click.command("state")
@name_argument
@click.argument("what", type=click.Choice(["list", "pull", "versions", "restore"]))
@click.argument("version", default="")
@click.option("--over", is_flag=True, help="Give up a newer state, or one of another lineage, for the copy.")
@click.option("--reveal", is_flag=True, help="Print a state to a terminal, with all the secrets in it.")
@data_option
@on_cluster
def verb(name: str, what: str, version: str, over: bool, reveal: bool, data: Path | None, where: Where) -> Exit:
    """Look at the state of an object, and bring back an older one.

    list: the resources in it, one on a line. pull: all of it, as the tool wrote it, secrets included. versions: the copies
    that were made after each apply. restore VERSION: make it what that copy was, by its serial, its name, or `latest`.

    Copies are in the folder of whoever runs the controllers: with `plumb up` on this machine, or with --data.
    """
    if bool(version) != (what == "restore"):
        raise click.UsageError("restore takes a VERSION, and nothing else does.")

    async def done() -> None:
        from plumbline.cli.terraform.objects import stating  # noqa: PLC0415 - loads kinds

        folder = data or home() / ".plumbline"
        async with where.opened() as terraforms:
            match what:
                case "list":
                    await stating.resources(terraforms, name)
                case "pull":
                    await stating.pulled(terraforms, name, reveal=reveal)
                case "versions":
                    await stating.copies(terraforms, name, folder)
                case _:
                    await stating.restored(terraforms, name, version, folder, over=over)

    performed(done())
    return Exit.DONE
