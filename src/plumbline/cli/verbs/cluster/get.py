import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("get", cls=GoFlags)
@click.argument("texts", nargs=-1, required=True, metavar="SERVER/NAME...")
@output_option("yaml", "json", "wide", "server")
@connecting()
def verb(texts: tuple[str, ...], output: str, where: Where) -> Exit:
    """Show clusters, by address or name, and whether they can be reached. What we come with is not shown."""
    from plumbline.cli.clustering.drawing import as_json, cluster  # noqa: PLC0415 - loads kinds
    from plumbline.cli.clustering.opening import roster_at  # noqa: PLC0415 - same
    from plumbline.cli.clustering.roster import Listed, one  # noqa: PLC0415 - same

    async def looked() -> list[Listed]:
        async with roster_at(where) as roster:
            return [await one(roster, text, states=output != "server") for text in texts]

    found = performed(looked())
    if output == "server":
        click.echo("\n".join(each.cluster.server for each in found))
    elif output == "wide":
        click.echo("\n\n".join("\n".join(cluster(*each)) for each in found))
    else:
        told = [as_json(*each) for each in found]
        print_value(told[0] if len(told) == 1 else told, output)
    return Exit.DONE
