"""What is said about plans: the report, with the reasons for each of them, and lines on the way."""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from plumbline.base.errors import InvalidInput, LimitExceeded, PlumblineError
from plumbline.base.json import JsonObject, decode, encode_sorted
from plumbline.base.redaction import redact_text
from plumbline.terraform.changed.affected import Affected
from plumbline.terraform.changed.comments import LIMITS
from plumbline.terraform.changed.planning import Tried
from plumbline.terraform.changed.roots import RootModules
from plumbline.terraform.plans import headline, readable
from plumbline.terraform.plans.report import ModulePlan, Report, report
from plumbline.terraform.plans.report.escaping import code

_REPORT_BYTES: Final = 16 << 20
_MOST_REASONS: Final = 20
_REASONS_CHARS: Final = 6_000
_MARK_CHARS: Final = 200
_NAME: Final = re.compile(r"[A-Za-z0-9._/-]{1,100}")


def reported(tried: Sequence[Tried], affected: Sequence[Affected], roots: RootModules, forge: str) -> Report:
    """One report about all of them, within what a comment of *forge* holds."""
    tail = _tail(tried, affected, roots)
    made = report(
        [_module(each) for each in tried], LIMITS[forge] - len(tail) - _MARK_CHARS, folds=forge != "bitbucket"
    )
    content: JsonObject = decode(made.json)
    content |= {
        "affected": [_reasoned(each) for each in affected],
        "notes": [*roots.notes, *(f"{each.affected.root.label}: {note}" for each in tried for note in each.notes)],
    }
    return Report(f"{made.markdown}{tail}", encode_sorted(content) + b"\n")


def _module(tried: Tried) -> ModulePlan:
    root, made = tried.affected.root, tried.made
    if made is None:
        error = told(tried.error) if tried.error is not None else ""
        return ModulePlan(path=root.folder, workspace=root.workspace, error=error)
    return ModulePlan(
        path=root.folder,
        workspace=root.workspace,
        summary=made.summary,
        dangers=made.dangers,
        digest=made.header.digest,
    )


def told(error: PlumblineError) -> str:
    """An error as lines for people, without what looks like a secret."""
    lines = [f"error[{error.code}]: {error.what}", error.why, f"hint: {error.hint}" if error.hint else ""]
    return redact_text("\n".join(line for line in lines if line))


def as_text(tried: Sequence[Tried], affected: Sequence[Affected]) -> str:
    """For terminals."""
    parts = [
        f"{each.affected.root.label}\n"
        + (
            readable(each.made.summary, each.made.dangers)
            if each.made is not None
            else told(each.error)
            if each.error is not None
            else ""
        )
        for each in tried
    ]
    parts += [
        f"{each.root.label}\nIt is gone; what its state holds stays, until somebody destroys it."
        for each in _gone(affected)
    ]
    return "\n\n".join(parts) + ("\n" if parts else "")


def one_line(tried: Tried) -> str:
    label = tried.affected.root.label
    if tried.made is None:
        return f"{label}: failed"
    return f"{label}: {headline(tried.made.summary)}"


def _tail(tried: Sequence[Tried], affected: Sequence[Affected], roots: RootModules) -> str:
    """Bounded: it comes off what is left for the plans."""
    lines = [
        f"- {code(each.root.label, 80)} is gone. What its state holds stays, until somebody destroys it."
        for each in _gone(affected)
    ]
    lines += [f"- {code(each.affected.root.label, 80)}: {note}." for each in tried for note in each.notes]
    lines += [f"- {code(note)}." for note in roots.notes]
    lines += [f"- {code(each.root.label, 80)} is planned because of {_why(each)}." for each in affected if each.because]
    kept: list[str] = []
    left = _REASONS_CHARS
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n" + "\n".join(kept) + "\n" if kept else ""


def _why(affected: Affected) -> str:
    first = affected.because[0]
    through = f" through {code(' → '.join(first.chain[1:]), 120)}" if len(first.chain) > 1 else ""
    more = len(affected.because) - 1
    return f"{code(first.path, 120)}{through}" + (f" and {more} more" if more else "")


def _reasoned(affected: Affected) -> JsonObject:
    return {
        "path": affected.root.folder,
        "workspace": affected.root.workspace,
        "name": affected.root.name,
        "change": affected.change,
        "because": [{"path": each.path, "modules": list(each.chain)} for each in affected.because[:_MOST_REASONS]],
    }


def _gone(affected: Sequence[Affected]) -> Iterator[Affected]:
    return (each for each in affected if each.change == "gone")


def labelled(name: str) -> str:
    """A name that can stand in a mark without ending it."""
    if not _NAME.fullmatch(name):
        raise click.BadParameter("It may have letters, digits, dots, dashes and slashes.", param_hint="--name")
    return name


def content_of(path: Path) -> str:
    """A report from a file or stdin, within bounds."""
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(_REPORT_BYTES + 1)
        else:
            with path.open("rb") as file:
                content = file.read(_REPORT_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read", why=error.strerror or str(error)) from error
    if len(content) > _REPORT_BYTES:
        raise LimitExceeded(f"{path} is no report", why=f"it has more than {_REPORT_BYTES:,} bytes")
    return content.decode(errors="replace")
