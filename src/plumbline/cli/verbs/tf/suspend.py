import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import Where, name_argument, on_cluster


@click.command("suspend")
@name_argument
@on_cluster
def verb(name: str, where: Where) -> Exit:
    """Leave an object alone: nothing is planned or applied until it is resumed. A run that is under way ends as it would."""

    async def written() -> None:
        async with where.opened() as terraforms:
            await terraforms.get(name)
            await terraforms.patch(name, {"spec": {"suspend": True}})

    performed(written())
    click.echo(f"{name} is suspended.", err=True)
    return Exit.DONE
