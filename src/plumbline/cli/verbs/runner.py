from pathlib import Path

import click

from plumbline.base.environment import home
from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common


@click.command("runner")
@common
@click.option("--order", required=True, metavar="NAMESPACE/NAME", help="Secret that says what is to be run.")
@click.option(
    "--kubeconfig",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Kubeconfig to use instead of the pod's own account.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to work in; ~/.plumbline/runner if not given.",
)
@click.option(
    "--grace",
    "grace_s",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    help="Seconds between being told to end and being killed.",
)
def verb(order: str, kubeconfig: Path | None, data: Path | None, grace_s: int) -> Exit:
    """Carry out one run of Terraform, as a Job that `plumb run --runner-image` made.

    It leaves a report in Secrets beside the order, also when it is told to end, and exits 0 if it could.
    """
    from plumbline.wiring.running import Wanted, ran  # noqa: PLC0415 - loads a whole room, which --help must not

    namespace, slash, name = order.partition("/")
    if not (namespace and slash and name):
        raise click.BadParameter(f"{order!r} is not NAMESPACE/NAME", param_hint="--order")
    folder = data or home() / ".plumbline" / "runner"
    wanted = Wanted(namespace, name, kubeconfig, folder.absolute(), float(grace_s))
    performed(ran(wanted, click.echo))
    return Exit.DONE
