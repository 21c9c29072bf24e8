"""`plumb tf plan`: from two commits to one report."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from plumbline.base.clock import SystemClock
from plumbline.base.environment import environment
from plumbline.base.errors import StorageFailed
from plumbline.cli.exits import Exit
from plumbline.cli.terminal import BAD, BUSY, GOOD, plain
from plumbline.cli.terraform.keys import key_from
from plumbline.cli.terraform.reports import as_text, one_line, reported, told
from plumbline.cli.terraform.tools import tool
from plumbline.terraform.changed import Affected, RootModules, affected
from plumbline.terraform.changed.checkout import Between, Checkout
from plumbline.terraform.changed.kept import Kept
from plumbline.terraform.changed.planning import Planner, Tried, Wanted
from plumbline.terraform.changed.sealing import Key
from plumbline.terraform.changed.skim import Skimmed
from plumbline.terraform.changed.surroundings import equipment
from plumbline.terraform.plans.report import Report


class Asked(NamedTuple):
    ref: str
    folders: tuple[str, ...]
    uncommitted: bool
    var_files: tuple[str, ...]
    parallel: int
    out: Path | None
    key_file: Path | None
    tool: str
    names: tuple[str, ...]
    forge: str
    form: str


class Found(NamedTuple):
    between: Between
    roots: RootModules
    affected: tuple[Affected, ...]


def found(ref: str, folders: Sequence[str], *, uncommitted: bool = False) -> Found:
    """What changed since *ref*, and which root modules that concerns; of *folders* alone where some are named."""
    between = Checkout(Path()).since(ref, worktree=uncommitted)
    skims: dict[str, Skimmed] = {}
    after = RootModules.found(between.after, folders, skims)
    # A folder that is named may not have been there before.
    before = RootModules.found(between.before, skims=skims)
    concerned = affected(before, after, between.changed)
    if folders:
        named = {root.folder for root in after.roots}
        concerned = tuple(each for each in concerned if each.root.folder in named)
    return Found(between, after, concerned)


async def planned(asked: Asked) -> Exit:
    key = key_from(asked.key_file) if asked.out is not None else None
    seen = found(asked.ref, asked.folders, uncommitted=asked.uncommitted)
    given = equipment(environment(), frozenset(asked.names))
    wanted = Wanted(asked.var_files, given.variables, given.files, given.command_line_config, asked.parallel)
    tried: list[Tried] = []
    if any(each.change != "gone" for each in seen.affected):
        async with tool(asked.tool, asked.parallel) as ready:
            planner = Planner(ready, seen.between, seen.roots, wanted, SystemClock())
            for each in seen.affected:
                _say(f"{BUSY.text(sys.stderr)} {each.root.label}: {each.change}")
            tried = await planner.planned(seen.affected, _done)
    made = reported(tried, seen.affected, seen.roots, asked.forge)
    if asked.out is not None and key is not None:
        _keep(asked.out, key, tried, made)
    _print(asked.form, tried, seen.affected, made)
    return _answer(tried, seen.affected, asked)


def _done(tried: Tried) -> None:
    sign = GOOD if tried.error is None else BAD
    _say(f"{sign.text(sys.stderr)} {one_line(tried)}")
    if tried.error is not None:
        click.echo(told(tried.error), err=True)


def _print(form: str, tried: Sequence[Tried], concerned: Sequence[Affected], made: Report) -> None:
    match form:
        case "json":
            click.echo(made.json.decode(), nl=False)
        case "text":
            click.echo(as_text(tried, concerned), nl=False)
        case _:
            click.echo(made.markdown, nl=False)


def _keep(folder: Path, key: Key, tried: Sequence[Tried], made: Report) -> None:
    """Plans that change nothing too: they are the proof that there is nothing to apply."""
    kept = Kept(folder)
    for each in tried:
        if each.made is not None:
            kept.put(each.made.header, key.seal(each.made.header, each.made.planned.plan))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.md").write_text(made.markdown)
        (folder / "report.json").write_bytes(made.json)
    except OSError as error:
        raise StorageFailed(f"the report was not written to {folder}", why=error.strerror or str(error)) from error


def _answer(tried: Sequence[Tried], concerned: Sequence[Affected], asked: Asked) -> Exit:
    failed = sum(each.error is not None for each in tried)
    changing = sum(each.changes for each in tried)
    if not concerned:
        _say(f"No root module is concerned by what changed since {asked.ref}.")
        return Exit.DONE
    parts = [f"{changing} would change", *([f"{failed} failed"] if failed else [])]
    gone = sum(each.change == "gone" for each in concerned)
    parts += [f"{gone} gone, with its state left behind" if gone == 1 else f"{gone} gone"] if gone else []
    kept = f" Plans are in {asked.out}." if asked.out is not None and len(tried) > failed else ""
    _say(f"{_counted(len(concerned))} concerned: {', '.join(parts)}.{kept}")
    if failed:
        return Exit.FAILED
    return Exit.NO if changing else Exit.DONE


def _counted(count: int) -> str:
    return "1 root module is" if count == 1 else f"{count} root modules are"


def _say(text: str) -> None:
    click.echo(plain(text), err=True)
