"""Waiting for applications as verbs do it: progress on stderr, the state at the end on stdout."""

from collections.abc import Sequence

import click

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.errors import TimedOut
from plumbline.base.json import JsonObject
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.picking import Picked
from plumbline.cli.applications.showing import show
from plumbline.cli.applications.store import Applications
from plumbline.cli.applications.waiting import Progress, Wanted, awaited
from plumbline.cli.exits import Exit


class Awaiting:
    def __init__(
        self, apps: Applications, wanted: Wanted, output: str, within_s: float, rules: Sequence[Picked] = ()
    ) -> None:
        self._apps = apps
        self._wanted = wanted
        self._output = output
        self._within_s = within_s
        self._rules = rules
        self._clock: Clock = SystemClock()

    async def ended(self, name: AppName) -> tuple[JsonObject, Exit]:
        """The application as it is wanted, shown; 1 where it never will be. Raises TimedOut."""
        progress = Progress(_say, self._clock, self._rules)
        ended = await awaited(self._apps, name, self._wanted, progress, rules=self._rules, within_s=self._within_s)
        if ended.app is None:
            if ended.late:
                raise self._late(name)
            click.echo(f"Application '{name}' deleted")
            return {}, Exit.DONE
        if ended.late:
            _say("\nThis is the state of the app after wait timed out:")
        await show(self._apps, ended.app, self._output, self._clock, operation=self._wanted.operation)
        if ended.late:
            raise self._late(name)
        if ended.degraded:
            _say(f"application '{name}': {ended.degraded}")
            return ended.app, Exit.NO
        return ended.app, Exit.DONE

    def _late(self, name: AppName) -> TimedOut:
        return TimedOut(
            f"timed out ({self._within_s:g}s) waiting for app {str(name)!r} to match the desired state",
            hint=f"See what it waits for with: plumb app get {name} --show-operation.",
        )


def _say(text: str) -> None:
    click.echo(text, err=True)
