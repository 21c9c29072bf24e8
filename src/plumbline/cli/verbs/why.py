from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common
from plumbline.cli.options import cluster_options, namespace_option, output_option


@click.command("why", cls=GoFlags)
@click.argument("target", metavar="KIND/NAME")
@namespace_option
@cluster_options
@output_option("text", "json", "yaml")
@common
def verb(target: str, namespace: str, kubeconfig: Path | None, context: str, output: str) -> Exit:
    """Say what an object waits for, and what would release it.

    One paragraph: what it waits for, since when, what is wrong at the deepest, and whose turn it is; then the commands
    that would release it, and the newest events. It works on claims, composites, managed resources, Applications and
    workloads. Exits 0 if the object is well, 1 if it waits or is wrong.
    """

    async def answered() -> bool:
        from plumbline.base.clock import SystemClock  # noqa: PLC0415 - loads the client, which --help must not
        from plumbline.cli.clusters import opened  # noqa: PLC0415 - same
        from plumbline.cli.composition.telling import as_json, asked, lines  # noqa: PLC0415 - same
        from plumbline.cli.output import print_value  # noqa: PLC0415 - same
        from plumbline.cli.terminal import plain  # noqa: PLC0415 - same

        async with opened(kubeconfig, context, namespace) as cluster:
            said = await asked(cluster.client, (await cluster.named((target,)))[0])
        now = SystemClock().now()
        if output == "text":
            for line in lines(said, now):
                click.echo(plain(line))
        else:
            print_value(as_json(said, now), output)
        return said.well

    return Exit.DONE if performed(answered()) else Exit.NO
