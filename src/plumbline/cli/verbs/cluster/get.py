import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("get", cls=GoFlags)
@click.argument("text", metavar="SERVER/NAME")
@output_option("yaml", "json", "wide", "server")
@connecting()
def verb(text: str, output: str, where: Where) -> Exit:
    """Show a cluster, by address or name, and whether it can be reached. What we come with is not shown."""
    from plumbline.cli.clustering.drawing import as_json, cluster  # noqa: PLC0415 - loads kinds
    from plumbline.cli.clustering.opening import roster_at  # noqa: PLC0415 - same
    from plumbline.cli.clustering.roster import Listed, one  # noqa: PLC0415 - same

    async def looked() -> Listed:
        async with roster_at(where) as roster:
            return await one(roster, text, states=output != "server")

    found = performed(looked())
    if output == "server":
        click.echo(found.cluster.server)
    elif output == "wide":
        click.echo("\n".join(cluster(*found)))
    else:
        print_value(as_json(*found), output)
    return Exit.DONE
