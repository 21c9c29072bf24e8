import click

from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common


@click.group("completion", invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Have a shell complete verbs, options and names of objects.

    Names are asked for when Tab is pressed, for no longer than 300 ms, and kept for a few seconds.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _printing(shell: str) -> None:
    @verb.command(shell, cls=GoFlags, help=f"Print what {shell} reads to complete plumb.")
    @common
    @click.pass_context
    def printed(ctx: click.Context) -> Exit:
        from plumbline.cli.completing.scripts import script  # noqa: PLC0415 - only who asks for it waits for it

        click.echo(script(shell, ctx.find_root().command), nl=False)
        return Exit.DONE


for each in ("bash", "zsh", "fish"):
    _printing(each)


@verb.command("install", cls=GoFlags)
@click.argument("shell", metavar="[SHELL]", type=click.Choice(["bash", "zsh", "fish"]), required=False)
@common
@click.pass_context
def install(ctx: click.Context, shell: str | None) -> Exit:
    """Write it to where SHELL, or yours, looks for it."""
    from plumbline.cli.completing import scripts  # noqa: PLC0415 - only who asks for it waits for it

    where = scripts.install(shell or scripts.shell_of(), ctx.find_root().command)
    click.echo(f"{where.file} is written. {where.then}")
    return Exit.DONE
