import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from plumbline.cli.applications.options import app_namespace_option, selector_option, timeout_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags

if TYPE_CHECKING:
    from plumbline.cli.applications.names import AppName
    from plumbline.cli.applications.store import Applications


@click.command("delete", cls=GoFlags)
@click.argument("names", nargs=-1, metavar="[APP]...")
@app_namespace_option
@selector_option
@click.option("--cascade/--no-cascade", default=None, help="Delete what it delivers as well, which is the default.")
@click.option(
    "-p",
    "--propagation-policy",
    type=click.Choice(["foreground", "background"]),
    help="Whether each object goes before or after what it owns; foreground.",
)
@click.option("--wait", is_flag=True, help="Wait until it is gone.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@timeout_option
@connecting()
def verb(
    names: tuple[str, ...],
    app_namespace: str,
    selector: str,
    cascade: bool | None,
    propagation_policy: str | None,
    wait: bool,
    yes: bool,
    timeout: float,
    where: Where,
) -> Exit:
    """Delete applications and what they deliver, in the reverse of the order that it was synced in.

    On a terminal it asks first, unless told otherwise.
    """
    if not names and not selector:
        raise click.UsageError("Name applications, or select some with -l.")
    if cascade is False and propagation_policy:
        raise click.UsageError("--propagation-policy has no meaning without --cascade.")
    asks = cascade is not False and not yes and _on_terminal()

    async def deleted() -> Exit:
        from plumbline.cli.applications.deleting import delete  # noqa: PLC0415 - loads kinds, which --help must not
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

        async with applications(where) as apps:
            chosen = await apps.chosen(names, app_namespace=app_namespace, selector=selector)
            for name in _meant(chosen, asks=asks):
                await delete(apps, name, cascade=cascade is not False, policy=propagation_policy or "")
                if wait:
                    await _gone(apps, name, timeout)
                click.echo(f"application '{name}' deleted")
        return Exit.DONE

    return performed(deleted())


def _on_terminal() -> bool:
    return sys.stdout.isatty()


def _meant(chosen: "list[AppName]", *, asks: bool) -> "Iterator[AppName]":
    """Those that a person agrees to, each asked about when its turn comes."""
    for name in chosen:
        answer = _asked(str(name), several=len(chosen) > 1) if asks else "a"
        asks = answer != "a"
        if answer == "n":
            click.echo(f"The command to delete '{name}' was cancelled.")
        else:
            yield name


def _asked(name: str, *, several: bool) -> str:
    choices = ["y", "n", "a"] if several else ["y", "n"]
    more = ", or 'a' for all of them" if several else ""
    question = f"Are you sure you want to delete '{name}' and all its resources?{more}"
    return str(click.prompt(question, type=click.Choice(choices), err=True))


async def _gone(apps: "Applications", name: "AppName", timeout_s: float) -> None:
    from plumbline.base.clock import SystemClock  # noqa: PLC0415 - not for --help
    from plumbline.base.errors import TimedOut  # noqa: PLC0415 - same
    from plumbline.cli.applications.waiting import Progress, Wanted, awaited  # noqa: PLC0415 - loads kinds

    progress = Progress(lambda text: click.echo(text, err=True), SystemClock())
    ended = await awaited(apps, name, Wanted(delete=True), progress, within_s=timeout_s)
    if ended.late:
        raise TimedOut(f"{name} is not gone after {timeout_s:g} s", hint=f"See why with: plumb app get {name}.")
