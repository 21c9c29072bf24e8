"""Waiting for a Terraform object, with a line for everything that it says on the way."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import aclosing
from typing import Final

import click

from plumbline.base.clock import Clock
from plumbline.base.errors import NotFound, TimedOut
from plumbline.base.json import JsonObject
from plumbline.cli.terminal import BAD, BUSY, GOOD, WARNING, Sign, plain
from plumbline.terraform.objects.phases import Phase, standing
from plumbline.terraform.objects.store import Terraforms

_SIGNS: Final[dict[Phase, Sign]] = {"busy": BUSY, "waiting": WARNING, "ready": GOOD, "failed": BAD}
_LONGEST: Final = 400

Say = Callable[[str], None]


def to_stderr(text: str) -> None:
    click.echo(text, err=True)


class Progress:
    """Says what is new, once."""

    def __init__(self, say: Say, clock: Clock) -> None:
        self._say, self._clock = say, clock
        self._last = ""

    def see(self, obj: JsonObject) -> None:
        found = standing(obj)
        text = plain(f"{found.reason}: {found.message}" if found.message else found.reason)
        if text and text != self._last:
            self._last = text
            stamp = self._clock.now().strftime("%H:%M:%S")
            shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
            self._say(f"{stamp} {_SIGNS[found.phase].text(sys.stderr)} {shown}")


class Waiting:
    def __init__(self, terraforms: Terraforms, clock: Clock, say: Say, within_s: float) -> None:
        self.terraforms, self.clock, self._say, self._within_s = terraforms, clock, say, within_s

    async def until(self, name: str, true: Callable[[JsonObject], bool], *, quiet_s: float = 0.0) -> JsonObject:
        """The object once *true* of it, or, where nobody is at work on it, once nothing new has come for *quiet_s*.

        Raises TimedOut, NotFound.
        """
        progress, loop = Progress(self._say, self.clock), asyncio.get_running_loop()
        last: JsonObject | None = None
        end_s = loop.time() + self._within_s if self._within_s else None
        try:
            async with asyncio.timeout_at(end_s) as fence, aclosing(self.terraforms.follow(name)) as changes:
                async for obj in changes:
                    if obj is None:
                        raise NotFound(f"{name} was deleted meanwhile")
                    last = obj
                    progress.see(obj)
                    if true(obj):
                        return obj
                    quiet = quiet_s and standing(obj).phase != "busy"
                    over = [each for each in (end_s, loop.time() + quiet_s if quiet else None) if each is not None]
                    fence.reschedule(min(over, default=None))
        except TimeoutError as late:
            if last is not None and (end_s is None or loop.time() < end_s):
                return last
            raise TimedOut(
                f"{name} is not done after {self._within_s:g} s",
                why=standing(last).message if last is not None else "",
                hint="Check that `plumb run` or `plumb up` runs for this cluster, or give it more with --timeout.",
            ) from late
        raise TimedOut(f"{name} cannot be followed")  # pragma: no cover - it is followed for ever
