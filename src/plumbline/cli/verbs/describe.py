from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common
from plumbline.cli.looking.options import place_options
from plumbline.cli.options import cluster_options


@click.command("describe", cls=GoFlags)
@click.argument("words", nargs=-1, required=True, metavar="KIND[/NAME] [NAME...]")
@place_options
@click.option(
    "-l", "--selector", default="", help="Labels that they have: KEY=VALUE, KEY!=VALUE, KEY in (A,B), KEY, !KEY."
)
@cluster_options
@common
def verb(
    words: tuple[str, ...], namespace: str, everywhere: bool, selector: str, kubeconfig: Path | None, context: str
) -> Exit:
    """Tell everything about objects: labels, owners, health, conditions, fields, and what happened to them.

    Values of Secrets are masked. `plumb why` says shorter what is wrong, and `plumb tree` what an object is made of.
    """

    async def told() -> None:
        from plumbline.base.clock import SystemClock  # noqa: PLC0415 - loads the client, which --help must not
        from plumbline.cli.clusters import opened  # noqa: PLC0415 - same
        from plumbline.cli.looking.asking import wanted  # noqa: PLC0415 - same
        from plumbline.cli.looking.describing import described  # noqa: PLC0415 - same
        from plumbline.cli.looking.events import About, place  # noqa: PLC0415 - same
        from plumbline.cli.looking.events import collected as events  # noqa: PLC0415 - same
        from plumbline.cli.looking.forms import Form  # noqa: PLC0415 - same
        from plumbline.cli.looking.listing import Asked, collected  # noqa: PLC0415 - same

        clock = SystemClock()
        async with opened(kubeconfig, context, namespace) as cluster:
            asked = Asked("" if everywhere else cluster.namespace, Form("json"), selector)
            found = await collected(cluster.client, await wanted(cluster.client, words), asked)
            for at, obj in enumerate(found.items):
                about = About.of(obj)
                happened = await events(cluster.client, about, place(about, ""))
                if at:
                    click.echo()
                click.echo(described(obj, happened, clock))
            if not found.items:
                click.echo("There are none.", err=True)

    performed(told())
    return Exit.DONE
