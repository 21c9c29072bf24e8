from typing import TYPE_CHECKING

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value

if TYPE_CHECKING:
    from plumbline.cli.clustering.store import State
    from plumbline.delivery.settings.clusters import Cluster


@click.command("get", cls=GoFlags)
@click.argument("text", metavar="SERVER/NAME")
@output_option("yaml", "json", "wide", "server")
@connecting()
def verb(text: str, output: str, where: Where) -> Exit:
    """Show a cluster, by address or name, and whether it can be reached. What we come with is not shown."""
    from plumbline.cli.clustering.drawing import as_json, cluster  # noqa: PLC0415 - loads kinds
    from plumbline.cli.clustering.store import Store  # noqa: PLC0415 - same

    async def found() -> "tuple[Cluster, State]":
        async with where.connected() as client:
            store = Store(client, where.namespace)
            one = await store.found(text)
            return one, await store.state(one)

    one, state = performed(found())
    if output == "server":
        click.echo(one.server)
    elif output == "wide":
        click.echo("\n".join(cluster(one, state)))
    else:
        print_value(as_json(one, state), output)
    return Exit.DONE
