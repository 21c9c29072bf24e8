import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.options import output_option
from plumbline.cli.terraform.objects.options import Where, name_argument, on_cluster


@click.command("show")
@name_argument
@click.option("--full", is_flag=True, help="Every change with its attributes, secret values masked.")
@output_option("text", "json", "yaml")
@on_cluster
def verb(name: str, full: bool, output: str, where: Where) -> Exit:
    """Show the plan that waits: what changes, what it waits for and why, its digest, and who has agreed.

    Where none waits, what was applied last. Secret values are never shown.
    """

    async def printed() -> None:
        from plumbline.cli.output import print_value  # noqa: PLC0415 - not for --help
        from plumbline.cli.terminal import plain  # noqa: PLC0415 - same
        from plumbline.cli.terraform.objects.drawing import as_value, described  # noqa: PLC0415 - loads kinds
        from plumbline.terraform.objects.plans import full_text, shown  # noqa: PLC0415 - same

        async with where.opened() as terraforms:
            found = await shown(terraforms, name)
            if output != "text":
                print_value(as_value(found), output)
                return
            click.echo(described(found, fields=full))
            if full and (text := await full_text(terraforms, found.obj)):
                click.echo("")
                click.echo("\n".join(map(plain, text.splitlines())))

    performed(printed())
    return Exit.DONE
