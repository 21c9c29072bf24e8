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


@click.command("list", cls=GoFlags)
@output_option("wide", "server", "json", "yaml")
@connecting()
def verb(output: str, where: Where) -> Exit:
    """List clusters. Each is asked now whether it can be reached, for at most five seconds."""
    from plumbline.cli.clustering.drawing import as_json, clusters  # noqa: PLC0415 - loads kinds
    from plumbline.cli.clustering.store import Store  # noqa: PLC0415 - same

    async def listed() -> "tuple[list[Cluster], list[State]]":
        async with where.connected() as client:
            store = Store(client, where.namespace)
            found = await store.listed()
            return found, await store.states(found) if output != "server" else []

    found, states = performed(listed())
    if output == "server":
        for each in found:
            click.echo(each.server)
    elif output == "wide":
        click.echo(clusters(found, states))
    else:
        print_value([as_json(each, state) for each, state in zip(found, states, strict=True)], output)
    return Exit.DONE
