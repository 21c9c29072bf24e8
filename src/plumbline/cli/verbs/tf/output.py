import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.options import Where, name_argument, on_cluster


@click.command("output")
@name_argument
@click.argument("key", default="")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--reveal", is_flag=True, help="Sensitive values too.")
@on_cluster
def verb(name: str, key: str, as_json: bool, reveal: bool, where: Where) -> Exit:
    """Print outputs of the root module, as the state has them; with KEY, the value of one and nothing else.

    Sensitive values are masked unless --reveal is given.
    """

    async def printed() -> None:
        from plumbline.cli.terraform.objects.outputs import one, several  # noqa: PLC0415 - loads kinds
        from plumbline.terraform.objects.states import outputs_of  # noqa: PLC0415 - same

        async with where.opened() as terraforms:
            found = await outputs_of(terraforms, name)
        if key:
            click.echo(one(found, key, as_json=as_json, reveal=reveal))
        elif not found and not as_json:
            click.echo(f"{name} has no outputs.", err=True)
        else:
            click.echo(several(found, as_json=as_json, reveal=reveal))

    performed(printed())
    return Exit.DONE
