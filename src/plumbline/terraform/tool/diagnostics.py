"""What the tool says went wrong, as values, and as the errors that people and policies know."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from plumbline.base.errors import (
    BadDocument,
    InvalidInput,
    PlanStale,
    PlumblineError,
    StateLocked,
    StorageFailed,
    ToolFailed,
    Unreachable,
)

_LONGEST: Final = 2000
_FULL: Final = re.compile(
    r"no space left on device|disk quota exceeded|file too large|read-only file system", re.IGNORECASE
)
_AWAY: Final = re.compile(
    r"connection refused|connection reset|no such host|no route to host|network is unreachable|i/o timeout"
    r"|TLS handshake timeout|server misbehaving|dial (?:tcp|unix|udp)|Client\.Timeout exceeded",
    re.IGNORECASE,
)
_LOCKED: Final = re.compile(r"acquiring the state lock|state is already locked|already locked state", re.IGNORECASE)
_HELD: Final = re.compile(r"^\s*(ID|Operation|Who|Created):[ \t]*(.*?)\s*$", re.MULTILINE)
_STALE: Final = re.compile(
    r"saved plan is stale|saved plan does not match the given state|plan file was created by|"
    r"created by a different version|inconsistent plan|not a valid plan file|failed to read plan",
    re.IGNORECASE,
)
_PROVIDERS: Final = re.compile(
    r"failed to (?:query available|resolve|install) provider|could not retrieve the list of available versions"
    r"|incompatible provider version|failed to validate installed provider",
    re.IGNORECASE,
)
_WRONG: Final = re.compile(
    r"^(?:unsupported (?:argument|attribute|block)|missing required argument|reference to undeclared"
    r"|invalid reference|no value for required variable|invalid value for (?:input )?variable|duplicate "
    r"|argument or block definition required|unclosed configuration block|no configuration files)",
    re.IGNORECASE,
)
_GENERAL: Final = "encountered problems during initiali"
_UNPREPARED: Final = re.compile(
    r"initialization required|inconsistent dependency lock file|required plugins are not installed"
    r"|module not installed|module source has changed|missing required provider|please run \"(?:terraform|tofu) init",
    re.IGNORECASE,
)
_TEXT: Final = re.compile(r"^(?:[│╷╵|] ?)?Error: ", re.MULTILINE)
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_ON: Final = re.compile(r"^\s+on (\S.*?) line (\d+)(?:, in .*)?:?$", re.MULTILINE)
_SNIPPET: Final = re.compile(r"^\s+(?:on .* line \d+.*|\d+: .*|[├│].*)$")


class Diagnostic(NamedTuple):
    summary: str
    detail: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        said = f"{self.summary}: {self.detail}" if self.detail else self.summary
        said = "\n".join("".join(c if c.isprintable() else " " for c in row).rstrip() for row in said.splitlines())
        place = f" ({self.file}:{self.line})" if self.file else ""
        return f"{said[:_LONGEST]}{place}"


def from_event(event: dict[str, Any]) -> Diagnostic | None:
    """An error of the JSON stream; None for everything else."""
    said = event.get("diagnostic")
    if not isinstance(said, dict) or said.get("severity") != "error":
        return None
    place = said.get("range")
    place = place if isinstance(place, dict) else {}
    start = place.get("start")
    line = start.get("line") if isinstance(start, dict) else 0
    return Diagnostic(
        str(said.get("summary", "")),
        str(said.get("detail") or ""),
        str(place.get("filename", "")),
        line if isinstance(line, int) else 0,
    )


def from_text(text: str) -> Iterator[Diagnostic]:
    """Errors as commands print them that have no JSON to say them in. Lines of the source are left out."""
    pieces = _TEXT.split(_COLOURS.sub("", text))[1:]
    for piece in pieces:
        rows = [row.lstrip("│╷╵ ") if row.startswith(("│", "╷", "╵")) else row for row in piece.splitlines()]
        summary, rest = [], iter(rows)
        for row in rest:
            if not row.strip():
                break
            summary.append(row.strip())
        body = [row for row in rest if not _SNIPPET.match(row)]
        place = _ON.search(piece)
        yield Diagnostic(
            " ".join(summary),
            "\n".join(body).strip(),
            place[1] if place else "",
            int(place[2]) if place else 0,
        )


def unprepared(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether all it needs is another init."""
    return any(_UNPREPARED.search(f"{each.summary}\n{each.detail}") for each in diagnostics)


def about_providers(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether an init lacks providers, and nothing else is known to be wrong."""
    told = _telling(diagnostics)
    return bool(told) and all(_PROVIDERS.search(f"{each.summary}\n{each.detail}") for each in told)


def error(what: str, diagnostics: Sequence[Diagnostic], failed: ToolFailed) -> PlumblineError:
    """The error that *diagnostics* are about; where there are none, what is known of how the tool *failed*."""
    told = _telling(diagnostics)
    all_text = "\n".join(f"{each.summary}\n{each.detail}" for each in diagnostics) or failed.why
    if _FULL.search(all_text):
        return StorageFailed(what, why=_first(told) or failed.why)
    if not told:
        return ToolFailed(what, exit_code=failed.exit_code, why=failed.why, hint=_hint(failed))
    first = told[0]
    text = f"{first.summary}\n{first.detail}"
    why = str(first) + (f" (and {len(told) - 1} more)" if len(told) > 1 else "")
    if _LOCKED.search(all_text):
        return _locked(what, all_text)
    if _STALE.search(text):
        return PlanStale(what, why=why)
    if _PROVIDERS.search(text):
        hint = "Check the source and the version that the module asks for, and whether its registry can be reached."
        return Unreachable(what, why=why, hint=hint) if _AWAY.search(text) else ToolFailed(what, why=why, hint=hint)
    if _AWAY.search(text):
        return Unreachable(what, why=why)
    if _WRONG.match(first.summary):
        return BadDocument(what, line=first.line, why=why) if first.file else InvalidInput(what, why=why)
    return ToolFailed(what, exit_code=failed.exit_code, why=why)


def _telling(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [each for each in diagnostics if _GENERAL not in each.summary]


def _first(told: Sequence[Diagnostic]) -> str:
    return next((str(each) for each in told if _FULL.search(f"{each.summary}\n{each.detail}")), "")


def _locked(what: str, text: str) -> StateLocked:
    held: dict[str, str] = {}
    for name, value in _HELD.findall(text):
        held.setdefault(name, value)
    doing = held.get("Operation", "").removeprefix("OperationType").lower() or "something"
    why = f"{held.get('Who') or 'somebody'} holds the lock {held.get('ID') or 'of unknown id'} for {doing}"
    since = f", since {held['Created']}" if held.get("Created") else ""
    return StateLocked(what, lock_id=held.get("ID", ""), why=why + since)


def _hint(failed: ToolFailed) -> str:
    if failed.exit_code is not None and failed.exit_code < 0:
        return "It was killed from outside, as a system does that runs out of memory: allow fewer tools at once."
    return ""
