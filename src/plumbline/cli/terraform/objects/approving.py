"""Saying yes or no to a plan at a terminal: it is shown first, and a person is asked."""

import sys
from collections.abc import Callable
from typing import NamedTuple

import click

from plumbline.base.errors import NeedsConsent, PlanStale
from plumbline.cli.terraform.objects.drawing import described, prefix
from plumbline.terraform.objects.plans import Shown, meant, shown
from plumbline.terraform.objects.saying import DECIDED, OwnHand, Said, Word, say
from plumbline.terraform.objects.store import Terraforms

Ask = Callable[[str], bool]
"""Whether a person says yes."""


def on_terminal(question: str) -> bool:
    """Ask. Where nobody can answer, nothing is done, and that is an error of its own."""
    if not sys.stdin.isatty():
        raise NeedsConsent(
            "nobody can be asked here",
            why="this is no terminal",
            hint="Look at the plan with `plumb tf show`, then say --yes.",
            token="",
        )
    return click.confirm(question, default=False, err=True)


class Decision(NamedTuple):
    """What is said about which plan."""

    decision: Word
    plan: str = ""
    comment: str = ""
    ask: Ask | None = on_terminal
    """None where nobody is to be asked."""


async def decide(terraforms: Terraforms, name: str, said: Decision) -> Shown | None:
    """Show the plan, ask, and say so under our name; None where the person thinks better of it.

    Raises PlanStale where the plan that was shown is not the one that waits any more.
    """
    found = await shown(terraforms, name)
    digest = meant(found, said.plan)
    click.echo(described(found), err=True)
    if said.ask is not None:
        verb = "Apply" if said.decision == "Approve" else "Reject"
        if not said.ask(f"{verb} plan {prefix(digest)} of {name}?"):
            click.echo("Nothing was said.", err=True)
            return None
        await _check_same(terraforms, name, digest)
    client = terraforms.client
    person = await say(client, OwnHand(client), found.obj, Said(said.decision, digest, said.comment))
    click.echo(f"Plan {prefix(digest)} {DECIDED[said.decision]} by {person.name}.", err=True)
    return found


async def _check_same(terraforms: Terraforms, name: str, digest: str) -> None:
    """People take their time."""
    now = await shown(terraforms, name)
    if now.digest != digest and (now.digest or not now.hidden):
        raise PlanStale(
            f"the plan of {name} is another than the one that was shown",
            why=f"{prefix(now.digest)} waits now" if now.digest else "none waits now",
            hint=f"Look at it with: plumb tf show {name}.",
        )
