from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common
from plumbline.cli.looking.forms import form_option
from plumbline.cli.looking.options import place_options
from plumbline.cli.options import cluster_options

if TYPE_CHECKING:
    from plumbline.cli.looking.forms import Form


@click.command("events", cls=GoFlags)
@click.argument("target", metavar="[KIND/NAME]", default="")
@place_options
@click.option("--types", default="", help="Only these, separated by commas: Normal, Warning.")
@click.option("--limit", type=click.IntRange(0), default=0, help="Only so many, the newest; 0 for all.")
@click.option("-w", "--watch", is_flag=True, help="Go on with those that come, until interrupted.")
@form_option
@cluster_options
@common
def verb(
    target: str,
    namespace: str,
    everywhere: bool,
    types: str,
    limit: int,
    watch: bool,
    form: "Form",
    kubeconfig: Path | None,
    context: str,
) -> Exit:
    """List what happened to an object, or to all in a namespace; the newest last."""

    async def listed() -> None:
        from plumbline.base.clock import SystemClock  # noqa: PLC0415 - loads the client, which --help must not
        from plumbline.cli.clusters import opened  # noqa: PLC0415 - same
        from plumbline.cli.looking import events  # noqa: PLC0415 - same
        from plumbline.cli.looking.asking import found, wanted  # noqa: PLC0415 - same
        from plumbline.cli.looking.listing import Asked  # noqa: PLC0415 - same

        clock, kinds = SystemClock(), tuple(filter(None, types.split(",")))
        async with opened(kubeconfig, context, namespace) as cluster:
            about = events.About()
            if target:
                (want,) = await wanted(cluster.client, (target,))
                if not want.name:
                    raise click.UsageError("Name the object as KIND/NAME.")
                about = events.About.of(await found(cluster.client, want, cluster.namespace))
            asked = Asked("" if everywhere else cluster.namespace, form, limit=limit)
            await events.show(cluster.client, about, asked, kinds, clock)
            if watch:
                await events.follow(cluster.client, about, asked, kinds, clock)

    performed(listed())
    return Exit.DONE
