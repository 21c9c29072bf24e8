"""`plumb tf apply`: plans that were reviewed, checked against what is here, and applied as they are."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from plumbline.base.environment import environment
from plumbline.base.plaintext import Plaintext
from plumbline.cli.exits import Exit, exit_of
from plumbline.cli.terminal import BAD, BUSY, GOOD, plain
from plumbline.cli.terraform.keys import key_from
from plumbline.cli.terraform.planning import found
from plumbline.cli.terraform.reports import told
from plumbline.cli.terraform.tools import tool
from plumbline.terraform.changed import RootModules
from plumbline.terraform.changed.applying import Applier, Outcome, Reviewed, by_change, by_digest, failures
from plumbline.terraform.changed.checkout import Checkout
from plumbline.terraform.changed.kept import Kept
from plumbline.terraform.changed.planning import Wanted
from plumbline.terraform.changed.rooms import Tool
from plumbline.terraform.changed.sealing import Header, Key
from plumbline.terraform.changed.surroundings import equipment
from plumbline.terraform.work import Step


class Asked(NamedTuple):
    digests: tuple[str, ...]
    ref: str
    folders: tuple[str, ...]
    plans: Path
    key_file: Path | None
    tool: str
    names: tuple[str, ...]


async def applied(asked: Asked) -> Exit:
    key, kept = key_from(asked.key_file), Kept(asked.plans)
    given = equipment(environment(), frozenset(asked.names))
    wanted = Wanted((), given.variables, given.files, given.command_line_config)
    async with tool(asked.tool, 1) as ready:
        roots, reviewed = _reviewed(asked, kept, key, ready)
        applier = Applier(ready, roots.modules.tree, wanted, lambda header, state: _unsaved(kept, key, header, state))
        outcomes = await applier.applied(reviewed, _begun, _stepped)
    for each in outcomes:
        _report(each)
    return _answer(outcomes)


def _reviewed(asked: Asked, kept: Kept, key: Key, ready: Tool) -> tuple[RootModules, list[Reviewed]]:
    if asked.ref:
        seen = found(asked.ref, asked.folders)
        for each in seen.affected:
            if each.change == "gone":
                _say(f"{each.root.label} is gone; what its state holds stays, until somebody destroys it.")
        return seen.roots, by_change(seen.affected, kept, key, seen.roots, ready)
    checkout = Checkout(Path())
    return by_digest(asked.digests, kept, key, checkout.tree(checkout.head), ready)


def _unsaved(kept: Kept, key: Key, header: Header, state: Plaintext) -> None:
    path = kept.put_state(header, key.seal(msgspec.structs.replace(header, changes=False), state))
    _say(f"The tool could not save the state; it is in {path}, sealed. Push it before anybody plans again.")


def _begun(reviewed: Reviewed) -> None:
    _say(f"{BUSY.text(sys.stderr)} {reviewed.root.label}: applying plan {reviewed.header.digest:.12}")


def _stepped(step: Step) -> None:
    if step.stage != "started":
        _say(f"  {step.address}: {step.action} {step.stage}")


def _report(outcome: Outcome) -> None:
    label = outcome.root.label
    if outcome.error is not None:
        _say(f"{BAD.text(sys.stderr)} {label}: not applied")
        click.echo(told(outcome.error), err=True)
    elif outcome.applied:
        _say(f"{GOOD.text(sys.stderr)} {label}: applied")
    else:
        _say(f"{GOOD.text(sys.stderr)} {label}: {outcome.skipped}")


def _answer(outcomes: Sequence[Outcome]) -> Exit:
    done = sum(each.applied for each in outcomes)
    errors = list(failures(outcomes))
    if not errors:
        idle = len(outcomes) - done
        rest = f" {idle} change nothing." if idle > 1 else " 1 changes nothing." if idle else ""
        _say(f"{_counted(done)} applied.{rest}" if outcomes else "No root module is concerned; nothing is applied.")
        return Exit.DONE
    _say(
        f"{done} of {len(outcomes)} plans applied, {len(errors)} failed. Plan what failed again, and have it reviewed."
    )
    return exit_of(errors[0])


def _counted(plans: int) -> str:
    return "1 plan" if plans == 1 else f"{plans} plans"


def _say(text: str) -> None:
    click.echo(plain(text), err=True)
