"""A line with `p`, ready to be asked."""

from typing import Final, NamedTuple

from plumbline.access.policy.lines import Line
from plumbline.access.policy.patterns import EVERYTHING, REGEX, Pattern, pattern
from plumbline.base.errors import BadExpression

ALLOW: Final = "allow"
DENY: Final = "deny"


class Rule(NamedTuple):
    order: int
    """Where it stands among all: the first of several that match is the one that people are told."""
    subject: str
    resource: Pattern
    action: Pattern
    object: Pattern
    denies: bool
    line: Line
    broken: str = ""
    """Why one of its patterns cannot be read."""


def rule_of(line: Line, order: int, mode: str) -> Rule | None:
    """*line* as a rule; None if it can have no effect.

    A pattern that cannot be read must not permit. Where a line denies it therefore stands for everything. As an
    expression it makes upstream give up on the request, whatever the line would have said; that is a denial as well.
    """
    subject, *texts, effect = line.fields
    patterns: list[Pattern] = []
    broken = ""
    for text in texts:
        try:
            patterns.append(pattern(text, mode))
        except BadExpression as fault:
            broken = fault.why or fault.what
            patterns += [EVERYTHING] * (len(texts) - len(patterns))
            break
    if broken and (effect == DENY or mode == REGEX):
        effect = DENY
    elif broken or effect not in {ALLOW, DENY}:
        return None
    if not subject and effect == ALLOW:
        return None
    resource, action, objects = patterns
    return Rule(order, subject, resource, action, objects, effect == DENY, line, broken)
