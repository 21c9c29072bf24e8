"""`plumb secret rotate`: what old keys sealed, sealed again in the files of a work tree, as a change for Git."""

import sys
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import click

from plumbline.base.errors import (
    BadDocument,
    Conflict,
    Forbidden,
    InvalidInput,
    LimitExceeded,
    PlumblineError,
    TimedOut,
    Unauthenticated,
    Undecryptable,
    Unreachable,
)
from plumbline.base.json import JsonObject
from plumbline.cli.exits import Exit
from plumbline.cli.output import print_value
from plumbline.cli.sealing.editing import ITEMS, Found, sealed_secrets, with_texts
from plumbline.cli.sealing.editing import Path as FieldPath
from plumbline.cli.sealing.files import replaced, text_from
from plumbline.cli.sealing.options import Where
from plumbline.cli.sealing.resealing import Resealer, resealer
from plumbline.cli.sealing.worktree import Worktree
from plumbline.cli.terminal import BAD, WARNING, Styled, plain, table
from plumbline.kube.object import Object
from plumbline.secrets.sealing import SEALED_WITH

Outcome: TypeAlias = Literal["re-sealed", "would be re-sealed", "current", "failed"]
_ENDINGS: Final = frozenset({".json", ".yaml", ".yml"})
_MARK: Final = b"SealedSecret"
_NOTE: Final = ("metadata", "annotations", SEALED_WITH)
_SHOWN: Final = 19
"""Of a fingerprint, for people: enough to tell keys apart."""
_COLOURS: Final = {"re-sealed": "green", "would be re-sealed": "yellow", "current": "", "failed": "red"}


class Asked(NamedTuple):
    where: Where
    paths: tuple[Path, ...]
    private_keys: tuple[str, ...]
    namespace: str
    everything: bool
    dry_run: bool
    force: bool
    commit: bool
    message: str
    output: str


class Row(NamedTuple):
    """What became of one SealedSecret."""

    file: str
    name: str
    items: int
    old: str
    new: str
    outcome: Outcome
    why: str = ""


class _File(NamedTuple):
    path: Path
    text: bytes
    found: list[Found]


async def performed(asked: Asked) -> Exit:
    tree = await Worktree.around(asked.paths[0])
    files = [file for path in await tree.files(asked.paths) if (file := _read(path, named=path in _named(asked)))]
    if not files:
        click.echo("There is no SealedSecret in these files.", err=True)
        return Exit.DONE
    if not (asked.force or asked.dry_run):
        await _refuse_changed(tree, files)
    rows: list[Row] = []
    new: dict[Path, bytes] = {}
    async with resealer(asked.where, asked.private_keys, everything=asked.everything) as by:
        for file in files:
            after, told = await _resealed(file, by, asked, tree)
            rows += told
            if after != file.text and not asked.dry_run:
                new[file.path] = after
    # Nothing is written until all is known: an outage halfway leaves the work tree as it was.
    for path, after in new.items():
        replaced(path, after)
    _print(rows, asked.output)
    if asked.commit and new:
        commit = await tree.commit(list(new), asked.message or _message(rows))
        click.echo(f"committed as {commit}", err=True)
    return _answer(rows)


def _named(asked: Asked) -> frozenset[Path]:
    """Files that were named one by one, not found."""
    return frozenset(path.resolve() for path in asked.paths if path.is_file())


def _read(path: Path, *, named: bool) -> _File | None:
    if path.suffix not in _ENDINGS and not named:
        return None
    text = text_from(path)
    if _MARK not in text:
        return None
    try:
        found = sealed_secrets(text, str(path))
    except (BadDocument, LimitExceeded) as odd:
        if named:
            raise
        # Such as a template of a chart, which is no YAML before it is rendered.
        click.echo(plain(f"{WARNING.text(sys.stderr)} left alone: {odd}"), err=True)
        return None
    return _File(path, text, found) if found else None


async def _refuse_changed(tree: Worktree, files: list[_File]) -> None:
    changed = await tree.changed([file.path for file in files])
    if changed:
        names = ", ".join(str(path.relative_to(tree.root)) for path in changed[:5])
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""  # noqa: PLR2004 - as many as were named
        raise Conflict(
            f"{names}{more} would be changed, with changes in them that are not committed",
            why="what this changes could no longer be told from those",
            hint="Commit or stash them first, or give --force.",
        )


async def _resealed(file: _File, by: Resealer, asked: Asked, tree: Worktree) -> tuple[bytes, list[Row]]:
    """The file's new text, and what became of each SealedSecret in it. One that fails hides none of the others."""
    text, rows = file.text, []
    name = str(file.path.relative_to(tree.root))
    for found in file.found:
        view = Object(found.obj)
        row = Row(name, "/".join(filter(None, (view.namespace, view.name))), 0, "", by.fingerprint, "current")
        try:
            text, row = await _one(text, found, by, asked, row)
        except (Forbidden, TimedOut, Unauthenticated, Unreachable):
            raise
        except PlumblineError as failed:
            row = row._replace(outcome="failed", new="", why=_why(failed))
        rows.append(row)
    return text, rows


async def _one(text: bytes, found: Found, by: Resealer, asked: Asked, row: Row) -> tuple[bytes, Row]:
    view = Object(found.obj)
    if view.spec.get("data") is not None:
        raise InvalidInput("it is in the old form, spec.data", hint="Seal the whole Secret again with `plumb seal`.")
    sealed: JsonObject = found.obj
    if not view.namespace and asked.namespace:
        sealed = {**sealed, "metadata": {**view.metadata, "namespace": asked.namespace}}
    done = await by.resealed(sealed)
    if not done.values:
        return text, row
    new: dict[FieldPath, str] = {(*ITEMS, key): value for key, value in done.values.items()}
    if SEALED_WITH in view.annotations:
        new[_NOTE] = by.fingerprint
    old = ", ".join(done.old) or view.annotations.get(SEALED_WITH, "")
    outcome: Outcome = "would be re-sealed" if asked.dry_run else "re-sealed"
    return with_texts(text, found.at, new), row._replace(items=len(done.values), old=old, outcome=outcome)


def _why(failed: PlumblineError) -> str:
    hint = failed.hint
    if isinstance(failed, Undecryptable):
        hint = "Seal it again from its source, or import the key that sealed it; if its file names no namespace, give --namespace."
    return f"{failed}. {hint}" if hint else str(failed)


def _print(rows: list[Row], output: str) -> None:
    if output != "text":
        print_value({"items": [row._asdict() for row in rows]}, output)
        return
    header = ("FILE", "NAME", "ITEMS", "OLD KEY", "NEW KEY", "RESULT")
    cells = [
        (
            row.file,
            row.name,
            str(row.items),
            _short(row.old),
            _short(row.new),
            Styled(row.outcome, _COLOURS[row.outcome]),
        )
        for row in rows
    ]
    click.echo(table(header, cells))


def _short(fingerprint: str) -> str:
    return ", ".join(each[:_SHOWN] for each in fingerprint.split(", ")) or "-"


def _answer(rows: list[Row]) -> Exit:
    failed = [row for row in rows if row.outcome == "failed"]
    for row in failed:
        click.echo(plain(f"{BAD.text(sys.stderr)} {row.file}, {row.name}: {row.why}"), err=True)
    changed = [row for row in rows if row.items]
    verb = "would be re-sealed" if any(row.outcome == "would be re-sealed" for row in changed) else "re-sealed"
    items = sum(row.items for row in changed)
    said = f"{_counted(items, 'item')} of {_counted(len(changed), 'SealedSecret')} {verb}, {len(rows) - len(changed) - len(failed)} current"
    click.echo(f"{said}, {len(failed)} failed." if failed else f"{said}.", err=True)
    if failed:
        return Exit.FAILED
    return Exit.NO if verb == "would be re-sealed" else Exit.DONE


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _message(rows: list[Row]) -> str:
    changed = [row for row in rows if row.outcome == "re-sealed"]
    names = "\n".join(f"- {row.name} in {row.file}" for row in changed)
    return f"Re-seal {_counted(len(changed), 'SealedSecret')} with the newest key\n\nKey {changed[0].new}.\n\n{names}\n"
