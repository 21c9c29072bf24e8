from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from plumbline.base.environment import home
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.options import cluster_options, data_option
from plumbline.cli.running import holding

if TYPE_CHECKING:
    from plumbline.wiring import Started

WEB_PORT: Final = 8080


@click.command("run")
@common
@cluster_options
@data_option
@click.option(
    "--web-port",
    type=click.IntRange(0, 65535),
    default=WEB_PORT,
    show_default=True,
    help="Port of webhooks, metrics and health; 0 takes a free one.",
)
@click.option("-n", "--namespace", default="argocd", show_default=True, help="Namespace of projects and settings.")
@click.option("--enforce", is_flag=True, help="Write, instead of only looking on until objects are handed over.")
def verb(
    kubeconfig: Path | None, context: str, namespace: str, data: Path | None, web_port: int, *, enforce: bool
) -> Exit:
    """Run the controllers on a cluster, with its own API as the only state.

    Unless --enforce is given it observes: everything is computed and shown, and nothing is written but what was handed
    over with `plumb adopt`. Of several replicas one leads.
    """
    import uvloop  # noqa: PLC0415 - only needed here

    from plumbline.wiring import Running, run  # noqa: PLC0415 - loads every room, which --help must not

    folder = data or home() / ".plumbline" / "run"
    wanted = Running(folder, kubeconfig, context, web_port, enforce, namespace)
    with holding(folder):
        uvloop.run(run(wanted, lambda started: click.echo(_welcome(started))))
    return Exit.DONE


def _welcome(started: "Started") -> str:
    return f"cluster   {started.url}\nweb       {started.web}"
