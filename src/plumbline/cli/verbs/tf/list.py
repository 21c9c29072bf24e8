import click

from plumbline.base.json import JsonObject
from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.options import output_option
from plumbline.cli.terraform.objects.options import Where, on_cluster


@click.command("list")
@click.option("-A", "--all-namespaces", "everywhere", is_flag=True, help="Those of all namespaces.")
@click.option("-l", "--selector", default="", help="Only those with these labels.")
@output_option("table", "wide", "json", "yaml", "name")
@on_cluster
def verb(everywhere: bool, selector: str, output: str, where: Where) -> Exit:
    """List Terraform objects: whether they are ready, which plan waits, what was applied, whether anything drifted."""
    from plumbline.base.clock import SystemClock  # noqa: PLC0415 - not for --help
    from plumbline.cli.applications.showing import without_managers  # noqa: PLC0415 - same
    from plumbline.cli.output import print_value  # noqa: PLC0415 - same
    from plumbline.cli.terraform.objects.drawing import listed  # noqa: PLC0415 - loads kinds

    async def found() -> list[JsonObject]:
        async with where.opened() as terraforms:
            return await terraforms.listed(everywhere=everywhere, selector=selector)

    objs = performed(found())
    match output:
        case "json" | "yaml":
            print_value({"items": [without_managers(obj) for obj in objs]}, output)
        case "name":
            for obj in objs:
                click.echo(f"terraform.infra.contrib.fluxcd.io/{obj['metadata']['name']}")
        case _ if objs:
            click.echo(listed(objs, SystemClock().now(), everywhere=everywhere, wide=output == "wide"))
        case _:
            click.echo("There are no Terraform objects here; look in all namespaces with -A.", err=True)
    return Exit.DONE
