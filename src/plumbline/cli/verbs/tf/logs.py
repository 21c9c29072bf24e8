import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import Where, name_argument, on_cluster


@click.command("logs")
@name_argument
@click.option("-f", "--follow", is_flag=True, help="Go on as more is printed.")
@on_cluster
def verb(name: str, follow: bool, where: Where) -> Exit:
    """Print the log of an object's last run; of one that ran beside the controller, what was told of it."""

    async def printed() -> None:
        from plumbline.cli.terraform.objects.logs import print_logs  # noqa: PLC0415 - loads kinds
        from plumbline.cli.terraform.objects.waiting import to_stderr  # noqa: PLC0415 - same

        async with where.opened() as terraforms:
            await print_logs(terraforms, name, to_stderr, follow=follow)

    performed(printed())
    return Exit.DONE
