from typing import Final

import click

from plumbline.cli.applications.options import AWAITED, app_namespace_option, timeout_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoDuration, GoFlags
from plumbline.cli.options import output_option

_HELD: Final = "24h0m0s"


@click.command("rollback", cls=GoFlags)
@click.argument("name", metavar="APP")
@click.argument("number", metavar="[ID]", type=int, required=False)
@app_namespace_option
@click.option("--prune", is_flag=True, help="Delete what was not there then.")
@click.option(
    "--for",
    "held_for",
    type=GoDuration(),
    default=_HELD,
    show_default=True,
    help="How long an automated application stays there, whatever is newer in Git.",
)
@click.option("--forever", is_flag=True, help="It stays there until somebody takes the pin away.")
@timeout_option
@output_option(*AWAITED)
@connecting()
def verb(
    name: str,
    number: int | None,
    app_namespace: str,
    prune: bool,
    held_for: str,
    forever: bool,
    timeout: float,
    output: str,
    where: Where,
) -> Exit:
    """Go back to a past sync: to the one before the last, or to the one with ID (see `plumb app history`).

    An automated application is held there by the annotation plumbline.dev/rollback-pin: automated syncs and self-healing
    go on, with the revisions of then. Remove it, or sync to something newer once it has ended. Under Argo CD itself such
    a rollback is refused.
    """
    lasting = "" if forever else held_for
    return performed(_gone_back(where, (name, app_namespace, number), lasting, (timeout, output), prune=prune))


async def _gone_back(
    where: Where, to: tuple[str, str, int | None], lasting: str, waiting: tuple[float, str], *, prune: bool
) -> Exit:
    from plumbline.base.clock import SystemClock  # noqa: PLC0415 - not for --help
    from plumbline.cli.applications.awaiting import Awaiting  # noqa: PLC0415 - loads kinds
    from plumbline.cli.applications.people import username  # noqa: PLC0415 - same
    from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same
    from plumbline.cli.applications.waiting import Wanted  # noqa: PLC0415 - same
    from plumbline.delivery.asking.operations import entry, phase_of, pin, rollback, until  # noqa: PLC0415 - same

    name, app_namespace, number = to
    timeout, output = waiting
    async with applications(where) as apps:
        at = apps.named(name, app_namespace)
        app = await apps.get(at)
        past = entry(app, number)
        ends = until(SystemClock().now(), lasting)
        noted = pin(app, past, ends)
        await apps.operate(at, rollback(app, past, prune=prune, username=username(where)), noted)
        if noted:
            told = "until the annotation is removed" if ends is None else f"until {ends:%Y-%m-%d %H:%M} UTC"
            click.echo(f"{at} is pinned to sync {past.get('id')} {told}", err=True)
        ended, code = await Awaiting(apps, Wanted(operation=True), output, timeout).ended(at)
        if code or phase_of(ended) == "Succeeded":
            return code
        click.echo(f"Operation has completed with phase: {phase_of(ended)}", err=True)
        return Exit.FAILED
