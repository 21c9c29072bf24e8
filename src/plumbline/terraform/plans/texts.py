"""A plan in words: one line, a few for a condition, rows for a terminal, and the tool's own text without secrets."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plumbline.base.errors import BadDocument
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans.dangers import brief
from plumbline.terraform.plans.decoded import decoded
from plumbline.terraform.plans.masks import LONGEST_SHOWN, masks_of
from plumbline.terraform.plans.values import Change, Counts, Danger, Summary
from plumbline.terraform.plans.wording import HIDDEN, counted, plain

LONGEST_MESSAGE: Final = 20_000
HEADER: Final = ("ACTION", "ADDRESS", "WHAT", "WAITS")
_FEW: Final = 3
_LONGEST_LINE: Final = 500
_SIGNS: Final = {
    "create": "+", "read": "<", "update": "~", "delete": "-", "replace": "±", "forget": ".", "import": "&", "move": ">",
    "unknown": "?",
}  # fmt: skip


def headline(summary: Summary, waiting: Sequence[Danger] = ()) -> str:
    """`2 to add, 1 to change, 1 to replace; waits: replaces terraform_data.db`."""
    text = counts_text(summary.counts)
    if not text:
        text = counted(len(summary.outputs), "output changes", "outputs change") if summary.outputs else "no changes"
    if summary.errored:
        text += "; planning failed"
    elif not summary.complete:
        text += "; there is more that could not be planned yet"
    if summary.checks:
        text += f"; {counted(len(summary.checks), 'check')} failed"
    if waiting:
        text += f"; waits: {_listed([brief(danger) for danger in waiting])}"
    return text


def counts_text(counts: Counts) -> str:
    """Empty where nothing changes."""
    words = (
        (counts.import_, "to import"),
        (counts.create, "to add"),
        (counts.update, "to change"),
        (counts.replace, "to replace"),
        (counts.delete, "to destroy"),
        (counts.forget, "to forget"),
        (counts.move, "to move"),
    )
    return ", ".join(f"{number:,} {word}" for number, word in words if number)


def readable(summary: Summary, dangers: Sequence[Danger], longest: int = LONGEST_MESSAGE) -> str:
    """Everything on a page: what waits, what changes, what drifted; as much as fits, what matters most first."""
    kept: list[str] = []
    room = longest - _LONGEST_LINE
    lines = _lines(summary, dangers)
    for line in lines:
        line = _cut(line)  # noqa: PLW2901 - the line that is kept
        room -= len(line) + 1
        if room < 0:
            kept.append(f"… and {counted(1 + sum(1 for _ in lines), 'more line')}")
            break
        kept.append(line)
    return "\n".join(kept)[:longest]


def tabled(summary: Summary, dangers: Iterable[Danger]) -> tuple[tuple[str, ...], ...]:
    """Rows under `HEADER`, one for each change and each danger that belongs to none."""
    by_address: dict[str, list[Danger]] = {}
    for danger in dangers:
        by_address.setdefault(danger.address, []).append(danger)
    rows = []
    for change in summary.acting:
        found = by_address.pop(change.address, [])
        rows.append((_acts(change), change.address, _what(change), "; ".join(each.kind for each in found)))
    for output in summary.outputs:
        found = by_address.pop(output.name, [])
        what = f"{output.before or 'none'} → {output.after or 'none'}"
        rows.append((output.action, f"output.{output.name}", what, "; ".join(each.kind for each in found)))
    rest = (danger for found in by_address.values() for danger in found)
    rows += [("", danger.address, danger.sentence, danger.kind) for danger in rest]
    return tuple(rows)


def human(text: Plaintext, json: Plaintext) -> str:
    """What the tool prints for people, without values that are sensitive anywhere in the plan."""
    masks = masks_of(decoded(json))
    try:
        lines = text.reveal().decode().split("\n")
    except UnicodeDecodeError:
        raise BadDocument("The plan's text cannot be read", why="it is not UTF-8") from None
    return "\n".join(plain(masks.mask(line)) if len(line) <= LONGEST_SHOWN else HIDDEN for line in lines)


def _lines(summary: Summary, dangers: Sequence[Danger]) -> Iterator[str]:
    yield headline(summary)
    if dangers:
        yield "Not done unasked:"
        yield from (f"  {danger.severity}: {danger.sentence}" for danger in dangers)
    for check in summary.checks:
        yield f"  ! {check.address}: {'; '.join(check.messages) or check.status}"
    for change in summary.acting:
        yield f"  {_SIGNS[change.action]} {change.address}{_suffix(change)}"
    for output in summary.outputs:
        yield f"  {_SIGNS.get(output.action, '?')} output {output.name}"
    for deferred in summary.deferred:
        yield f"  later: {deferred.address} ({deferred.reason})"
    if summary.drift:
        yield "Changed outside:"
        yield from (f"  {_SIGNS.get(change.action, '~')} {change.address}{_suffix(change)}" for change in summary.drift)


def _suffix(change: Change) -> str:
    what = _what(change)
    return f": {what}" if what else ""


def _acts(change: Change) -> str:
    return f"{change.action} ({change.order})" if change.order else change.action


def _what(change: Change) -> str:
    if change.action == "move":
        return f"from {change.previous_address}"
    if change.deposed:
        return f"deposed object {change.deposed}"
    parts = [f"imported as {change.importing}"] if change.importing else []
    if change.previous_address:
        parts.append(f"moved from {change.previous_address}")
    if change.replace_paths:
        parts.append(f"because of {_listed(change.replace_paths)}")
    if change.action == "update":
        parts.append(_listed([field.path for field in change.fields], len(change.fields) + change.fields_left_out))
    return ", ".join(filter(None, parts))


def _listed(words: Sequence[str], of: int = 0) -> str:
    more = max(of, len(words)) - _FEW
    return ", ".join(words[:_FEW]) + (f" and {more:,} more" if more > 0 else "")


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"
