import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("list", cls=GoFlags)
@output_option("wide", "server", "json", "yaml")
@connecting()
def verb(output: str, where: Where) -> Exit:
    """List clusters, and whether they can be reached: each is asked, for at most five seconds."""
    from plumbline.cli.clustering.drawing import as_json, clusters  # noqa: PLC0415 - loads kinds
    from plumbline.cli.clustering.opening import roster_at  # noqa: PLC0415 - same
    from plumbline.cli.clustering.roster import Listed  # noqa: PLC0415 - same

    async def listed() -> list[Listed]:
        async with roster_at(where) as roster:
            return await roster.listed(states=output != "server")

    found = performed(listed())
    if output == "server":
        for each in found:
            click.echo(each.cluster.server)
    elif output == "wide":
        click.echo(clusters(found))
    else:
        print_value([as_json(*each) for each in found], output)
    return Exit.DONE
