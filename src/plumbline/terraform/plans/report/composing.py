"""One comment about all root modules that a change affects, and the same as JSON.

Everything is in the JSON. The comment holds as much of it as the forge takes: what is least important is left out first,
and a sentence says so.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode_sorted
from plumbline.base.redaction import redact_text
from plumbline.terraform.plans.report.details import details, name
from plumbline.terraform.plans.report.escaping import code, size
from plumbline.terraform.plans.report.values import FORGE_LIMITS, LEAST_CHARS, ModulePlan, Report
from plumbline.terraform.plans.texts import headline
from plumbline.terraform.plans.wording import counted

SCHEMA: Final = "plumbline.dev/terraform-report/v1"
_MARKER: Final = "plumbline-terraform-plans"
_NOT_IN_MARKERS: Final = re.compile(r"[^A-Za-z0-9._/]+")
_LONGEST_KEY: Final = 200
_RESERVE: Final = 700
"""For the sentence about what is left out."""
_HEADER: Final = "| module | add | change | replace | destroy | forget | import | move | waits | plan |\n|---|---|---|---|---|---|---|---|---|---|"


def marker(key: str = "") -> str:
    """What the comment begins with, unseen: by this it is found again and rewritten."""
    named = _NOT_IN_MARKERS.sub("_", key)[:_LONGEST_KEY]
    return f"<!-- {_MARKER}{f':{named}' if named else ''} -->"


def report(
    modules: Sequence[ModulePlan],
    limit_chars: int = FORGE_LIMITS["github"],
    *,
    key: str = "",
    folds: bool = True,
    elsewhere: str = "the JSON report",
) -> Report:
    """*key* tells apart several comments on one request; *folds* is False where the forge shows no HTML (Bitbucket)."""
    if limit_chars < LEAST_CHARS:
        raise InvalidInput(f"A report does not fit into {limit_chars} characters", why=f"it needs {LEAST_CHARS}")
    modules = [msgspec.structs.replace(each, error=redact_text(each.error)) for each in modules]
    ordered = sorted(modules, key=lambda each: each.rank)
    page = _Page(limit_chars - _RESERVE)
    page.add(marker(key), f"### {_title(ordered)}")
    _table(page, [each for each in ordered if not each.is_unchanged])
    _losses(page, ordered)
    unchanged = sum(each.is_unchanged for each in ordered)
    if unchanged:
        page.add(f"{counted(unchanged, 'module does', 'modules do')} not change.")
    short, missing = _details(page, ordered, folds=folds)
    return Report(page.text(_left_out(page, short, missing, elsewhere)), _json(modules))


class _Page:
    """Sections as long as there is room."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._sections: list[str] = []
        self.rows_left_out = 0
        self.losses_left_out = 0

    def add(self, *sections: str) -> bool:
        if not self.take(sum(size(section) + 2 for section in sections)):
            return False
        self._sections += sections
        return True

    def take(self, needed: int) -> bool:
        """Keep as much room for something that is placed later."""
        if needed > self._room:
            return False
        self._room -= needed
        return True

    def place(self, sections: Iterable[str]) -> None:
        """What room was kept for."""
        self._sections += sections

    def add_lines(self, head: str, lines: Sequence[str]) -> int:
        """As many lines under *head* as fit, and how many did not."""
        kept: list[str] = []
        needed = size(head) + 2
        for line in lines:
            if needed + size(line) + 1 > self._room:
                break
            needed += size(line) + 1
            kept.append(line)
        if kept:
            self.add("\n".join((head, *kept)))
        return len(lines) - len(kept)

    def text(self, last: str) -> str:
        return "\n\n".join(filter(None, (*self._sections, last))) + "\n"


def _title(modules: Sequence[ModulePlan]) -> str:
    failed = sum(each.summary is None or bool(each.error) for each in modules)
    dangerous = sum(bool(each.dangers) for each in modules)
    parts = [f"Terraform: {counted(len(modules), 'root module')}"]
    if failed:
        parts.append(f"{failed:,} failed")
    if dangerous:
        parts.append(f"{dangerous:,} with something that would be lost")
    return ", ".join(parts)


def _table(page: _Page, modules: Sequence[ModulePlan]) -> None:
    if modules:
        page.rows_left_out = page.add_lines(_HEADER, list(map(_row, modules)))


def _row(module: ModulePlan) -> str:
    plan = code(module.digest[:12]) if module.digest else ""
    if module.summary is None:
        return f"| {code(name(module))} | | | | | | | | failed | {plan} |"
    counts = module.summary.counts
    numbers = (
        counts.create, counts.update, counts.replace, counts.delete, counts.forget, counts.import_, counts.move,
    )  # fmt: skip
    cells = " | ".join(f"{number:,}" if number else "" for number in numbers)
    waits = "failed" if module.error else counted(len(module.waiting), "change") if module.waiting else ""
    return f"| {code(name(module))} | {cells} | {waits} | {plan} |"


def _losses(page: _Page, modules: Sequence[ModulePlan]) -> None:
    severities = ("high", "medium", "low")
    found = [(danger, module) for module in modules for danger in module.dangers]
    found.sort(key=lambda each: (severities.index(each[0].severity), each[1].rank))
    lines = [f"- **{danger.severity}** {code(name(module), 80)}: {code(danger.sentence)}" for danger, module in found]
    if lines:
        page.losses_left_out = page.add_lines("**What would be lost, or lose its protection:**\n", lines)


def _details(page: _Page, modules: Sequence[ModulePlan], *, folds: bool) -> tuple[int, int]:
    """How many modules are without attributes, and how many are missing.

    Of those that people must look at, all are there before any has its attributes; then the same for the others.
    """
    chosen: dict[int, str] = {}
    short = missing = 0
    for group in ([each for each in modules if each.is_urgent], [each for each in modules if not each.is_urgent]):
        brief = [section for each in group if (section := details(each, folds=folds, fields=False))]
        whole = [section for each in group if (section := details(each, folds=folds, fields=True))]
        first = len(chosen)
        for at, section in enumerate(brief):
            chosen[first + at] = section if page.take(size(section) + 2) else ""
        for at, section in enumerate(whole):
            has = chosen[first + at]
            if not has:
                missing += 1
            elif page.take(size(section) - size(has)):
                chosen[first + at] = section
            else:
                short += 1
    page.place(filter(None, chosen.values()))
    return short, missing


def _left_out(page: _Page, short: int, missing: int, elsewhere: str) -> str:
    parts = []
    if page.rows_left_out:
        parts.append(f"{counted(page.rows_left_out, 'row')} of the table")
    if page.losses_left_out:
        parts.append(counted(page.losses_left_out, "line about what would be lost", "lines about what would be lost"))
    if short:
        parts.append(f"the attributes of {counted(short, 'module')}")
    if missing:
        parts.append(f"the details of {counted(missing, 'module')}")
    if not parts:
        return ""
    return (
        f"Left out, since a comment here cannot be longer: {', '.join(parts)}. All of it is in {code(elsewhere, 200)}."
    )


def _json(modules: Sequence[ModulePlan]) -> bytes:
    ordered = sorted(modules, key=lambda each: (each.path, each.workspace))
    return encode_sorted({"schema": SCHEMA, "modules": [_module(each) for each in ordered]})


def _module(module: ModulePlan) -> dict[str, object]:
    summary = module.summary
    shown = msgspec.to_builtins(summary) if summary else None
    if shown is not None:
        shown["changes"] = [msgspec.to_builtins(change) for change in summary.acting] if summary else []
        shown["blocks"] = len(summary.blocks) if summary else 0
    return {
        "path": module.path,
        "workspace": module.workspace,
        "headline": headline(summary, module.waiting) if summary else "failed",
        "planId": module.plan_id,
        "digest": module.digest,
        "error": module.error,
        "dangers": msgspec.to_builtins(module.dangers),
        "waits": [danger.sentence for danger in module.waiting],
        "plan": shown,
    }
