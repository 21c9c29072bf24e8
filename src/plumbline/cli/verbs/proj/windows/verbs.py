from typing import Any

import click

from plumbline.cli.asking import sure
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import Decorated, output_option
from plumbline.cli.output import print_value


def _fields(command: Decorated) -> Decorated:
    command = click.option("--description", default="", help="Why there is this window.")(command)
    command = click.option("--time-zone", default="", help="Time zone of the schedule, such as Europe/Berlin.")(command)
    for name in ("clusters", "namespaces", "applications"):
        about = f"Patterns of {name} that it is about, separated by commas."
        command = click.option(f"--{name}", multiple=True, help=about)(command)
    command = click.option("--duration", default="", help="How long it stays open, such as 1h.")(command)
    return click.option("--schedule", default="", help='When it opens, in cron form, such as "0 22 * * *".')(command)


def _given(said: dict[str, Any]) -> dict[str, Any]:
    """Those that have a value, as the fields that they are."""
    lists = {name: [part for text in said[name] for part in text.split(",")] for name in ("applications", "namespaces", "clusters")}  # fmt: skip
    texts = {"schedule": said["schedule"], "duration": said["duration"], "timeZone": said["time_zone"], "description": said["description"]}  # fmt: skip
    return {key: value for key, value in {**texts, **lists}.items() if value}


@click.command("list", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@output_option("wide", "json", "yaml")
@connecting()
def list_(project: str, output: str, where: Where) -> Exit:
    """List sync windows with their numbers, and whether they are open now."""
    from plumbline.base.clock import SystemClock  # noqa: PLC0415 - not for --help
    from plumbline.cli.projecting.store import shown  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.windows import drawn  # noqa: PLC0415 - same

    found = (performed(shown(where, project)).get("spec") or {}).get("syncWindows") or []
    if output == "wide":
        click.echo(drawn(found, SystemClock().now()))
    else:
        print_value(found, output)
    return Exit.DONE


@click.command("add", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.option("-k", "--kind", required=True, type=click.Choice(["allow", "deny"]), help="What it does to syncs.")
@click.option("--manual-sync", is_flag=True, help="People may still sync by hand.")
@click.option("--sync-overrun", is_flag=True, help="Syncs that began in time may go on.")
@click.option(
    "--use-and-operator", "every", is_flag=True, help="Applications, namespaces and clusters all have to match."
)
@_fields
@connecting(namespaced=True)
def add(project: str, kind: str, manual_sync: bool, sync_overrun: bool, every: bool, where: Where, **said: Any) -> Exit:
    """Add a sync window. It has to be about some applications, namespaces or clusters."""
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.windows import added  # noqa: PLC0415 - same

    switches = {"manualSync": manual_sync, "syncOverrun": sync_overrun, "andOperator": every}
    fixed = {"kind": kind, **switches, "timeZone": "UTC"}
    performed(edited(where, project, added({**fixed, **_given(said)})))
    return Exit.DONE


@click.command("update", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("number", metavar="ID", type=int)
@_fields
@connecting(namespaced=True)
def update(project: str, number: int, where: Where, **said: Any) -> Exit:
    """Change a sync window. What is not named stays as it is."""
    fields = _given(said)
    if not fields:
        raise click.UsageError("Name at least one thing to change.")
    return _changed(where, project, number, fields)


@click.command("delete", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("number", metavar="ID", type=int)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting()
def delete(project: str, number: int, yes: bool, where: Where) -> Exit:
    """Delete a sync window. Those after it have other numbers then."""
    sure(f"Delete window {number} of {project}?", yes=yes)
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.windows import dropped  # noqa: PLC0415 - same

    performed(edited(where, project, dropped(number)))
    return Exit.DONE


@click.command("enable-manual-sync", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("number", metavar="ID", type=int)
@connecting()
def enable_manual_sync(project: str, number: int, where: Where) -> Exit:
    """Let people sync by hand although a window says no."""
    return _changed(where, project, number, {"manualSync": True})


@click.command("disable-manual-sync", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("number", metavar="ID", type=int)
@connecting()
def disable_manual_sync(project: str, number: int, where: Where) -> Exit:
    """No longer let people sync by hand against a window."""
    return _changed(where, project, number, {"manualSync": False})


@click.command("enable-sync-overrun", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("number", metavar="ID", type=int)
@connecting()
def enable_sync_overrun(project: str, number: int, where: Where) -> Exit:
    """Let syncs go on that began before a window denied them, or while it allowed them."""
    return _changed(where, project, number, {"syncOverrun": True})


@click.command("disable-sync-overrun", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("number", metavar="ID", type=int)
@connecting()
def disable_sync_overrun(project: str, number: int, where: Where) -> Exit:
    """No longer let syncs go on against a window."""
    return _changed(where, project, number, {"syncOverrun": False})


def _changed(where: Where, project: str, number: int, fields: dict[str, Any]) -> Exit:
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.windows import changed  # noqa: PLC0415 - same

    performed(edited(where, project, changed(number, fields)))
    return Exit.DONE
