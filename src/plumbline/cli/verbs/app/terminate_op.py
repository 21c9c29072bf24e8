import click

from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("terminate-op", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@connecting()
def verb(name: str, app_namespace: str, where: Where) -> Exit:
    """End the operation of an application that is under way: hooks are deleted, and nothing more is applied."""

    async def ended() -> None:
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - loads kinds, which --help must not

        async with applications(where) as apps:
            await apps.terminate(apps.named(name, app_namespace))

    performed(ended())
    click.echo(f"Application '{name}' operation terminating")
    return Exit.DONE
