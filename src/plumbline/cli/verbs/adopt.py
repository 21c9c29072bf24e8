from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.grants import grant_options, granted, shown
from plumbline.cli.group import common
from plumbline.cli.options import cluster_options, namespace_option, output_option

_QUIET_S = 300.0


@click.command("adopt")
@grant_options
@click.option("--quiet-for", "quiet_s", type=click.FloatRange(0), default=_QUIET_S, show_default=True, metavar="SECONDS", help="How long another controller must not have written.")  # fmt: skip
@namespace_option
@cluster_options
@output_option("text", "json", "yaml")
@common
def verb(
    group: str,
    kind: str,
    name: str,
    project: str,
    quiet_s: float,
    namespace: str,
    kubeconfig: Path | None,
    context: str,
    output: str,
) -> Exit:
    """Hand objects over to Plumbline: by group, kind, namespace, project or name.

    Refused while another controller for the same kinds is alive; its name and how it shows itself are printed.
    """
    from plumbline.cli.handover import handed_over  # noqa: PLC0415 - loads the client, which --help must not

    grant = granted(group, kind, namespace, name, project)
    mandate = performed(handed_over(grant, kubeconfig, context, quiet_s))
    shown(mandate, output)
    return Exit.DONE
