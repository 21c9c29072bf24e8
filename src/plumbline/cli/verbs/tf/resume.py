import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import Where, name_argument, on_cluster


@click.command("resume")
@name_argument
@on_cluster
def verb(name: str, where: Where) -> Exit:
    """Look after an object again that was suspended."""

    async def written() -> None:
        async with where.opened() as terraforms:
            await terraforms.get(name)
            await terraforms.patch(name, {"spec": {"suspend": False}})

    performed(written())
    click.echo(f"{name} is resumed.", err=True)
    return Exit.DONE
