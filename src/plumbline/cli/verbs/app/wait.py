import click

from plumbline.cli.applications.options import (
    AWAITED,
    app_namespace_option,
    resource_option,
    selector_option,
    timeout_option,
)
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option


@click.command("wait", cls=GoFlags)
@click.argument("names", nargs=-1, metavar="[APP]...")
@app_namespace_option
@click.option("--sync", is_flag=True, help="Until it is synced.")
@click.option("--health", is_flag=True, help="Until it is healthy.")
@click.option("--operation", is_flag=True, help="Until no operation is under way.")
@click.option("--suspended", is_flag=True, help="Until it is suspended.")
@click.option("--degraded", is_flag=True, help="Until it is degraded.")
@click.option("--delete", is_flag=True, help="Until it is gone.")
@click.option("--hydrated", is_flag=True, help="Until its manifests are written to their branch.")
@resource_option
@selector_option
@timeout_option
@output_option(*AWAITED)
@connecting()
def verb(
    names: tuple[str, ...],
    app_namespace: str,
    resources: tuple[str, ...],
    selector: str,
    timeout: float,
    output: str,
    where: Where,
    **wanted: bool,
) -> Exit:
    """Wait until applications are as they are wanted: synced, healthy and at rest, if nothing is named.

    Of several healths one has to be met. Exits 7 if it is not so in time, and 1 as soon as something becomes degraded
    while health is waited for.
    """
    if not names and not selector:
        raise click.UsageError("Name applications, or select some with -l.")

    async def waited() -> Exit:
        from plumbline.cli.applications.awaiting import Awaiting  # noqa: PLC0415 - loads kinds, which --help must not
        from plumbline.cli.applications.picking import picked  # noqa: PLC0415 - same
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same
        from plumbline.cli.applications.waiting import Wanted  # noqa: PLC0415 - same

        async with applications(where) as apps:
            awaiting = Awaiting(apps, Wanted(**wanted).meant, output, timeout, picked(resources))
            found = Exit.DONE
            for name in await apps.chosen(names, app_namespace=app_namespace, selector=selector):
                _, code = await awaiting.ended(name)
                found = found or code
            return found

    return performed(waited())
