from typing import Final

import click

from plumbline.base.clock import SystemClock
from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common

_WORKS: Final = (
    ("plumb doctor", "checks this machine"),
    ("plumb health", "says whether objects are healthy, from files or a cluster"),
    ("plumb diff", "shows what applying manifests would change, and whose each field is"),
    ("plumb own", "says who owns what, in a cluster or in a checkout"),
)


@click.command("up")
@common
def verb() -> Exit:
    """Start what there is of the control plane.

    This version has no control plane yet, so nothing is started: the machine is checked for what one will need, and
    the verbs that work today are named. Exits 1 if a check failed.
    """
    from plumbline.cli.checks.all import findings  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.cli.checks.findings import passed  # noqa: PLC0415 - same
    from plumbline.cli.verbs.doctor import lines  # noqa: PLC0415 - same

    found = performed(findings(SystemClock()))
    click.echo("\n".join(lines(found)))
    click.echo("\nNothing was started: the control plane is not part of this version yet. What works today:", err=True)
    for command, what in _WORKS:
        click.echo(f"  {command:<13} {what}", err=True)
    return Exit.DONE if passed(found) else Exit.NO
