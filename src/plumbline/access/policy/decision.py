"""What was decided, and why, in one sentence."""

from typing import Final, NamedTuple

from plumbline.access.policy.places import Place
from plumbline.access.policy.rules import Rule

_SHOWN: Final = 400
"""Characters of a line that a sentence may hold."""


class Decision(NamedTuple):
    allowed: bool
    line: str
    """The deciding line as it is written; empty if it was decided because there is none."""
    why: str
    place: Place | None = None
    """Where that line stands."""
    through: tuple[str, ...] = ()
    """From whoever has it to the subject of that line: a name or group, then roles."""


def decided(rule: Rule, through: tuple[str, ...], *, by_default: bool) -> Decision:
    place, text = rule.line.place, rule.line.text
    verb = "denied" if rule.denies else "allowed"
    broken = f", of which a pattern cannot be read ({rule.broken})" if rule.broken else ""
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    why = f"{verb} by {place}{broken}: {shown}{_holding(through, by_default=by_default)}"
    return Decision(not rule.denies, text, why, place, through)


def _holding(through: tuple[str, ...], *, by_default: bool) -> str:
    """How the one who asks comes by the line, unless the line itself says so."""
    holder, *roles = through
    steps = [f"the default role is {holder}"] if by_default else []
    if roles:
        between = f" through {', '.join(roles[:-1])}" if roles[1:] else ""
        steps.append(f"{holder} has {roles[-1]}{between}")
    return f" ({', and '.join(steps)})" if steps else ""


def refused(why: str) -> Decision:
    return Decision(allowed=False, line="", why=why)
