import click

from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("confirm-deletion", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@connecting()
def verb(name: str, app_namespace: str, where: Where) -> Exit:
    """Agree to the deletion or the pruning that waits for it: of objects with Delete=confirm or Prune=confirm."""

    async def confirmed() -> None:
        from plumbline.base.clock import SystemClock, rfc3339  # noqa: PLC0415 - not for --help
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - loads kinds, which --help must not
        from plumbline.delivery.sync.operation import APPROVED  # noqa: PLC0415 - same

        async with applications(where) as apps:
            at = apps.named(name, app_namespace)
            await apps.get(at)
            await apps.patch(at, {"metadata": {"annotations": {APPROVED: rfc3339(SystemClock().now())}}})

    performed(confirmed())
    click.echo(f"Application '{name}' updated successfully")
    return Exit.DONE
