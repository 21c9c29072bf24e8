"""What in a policy is read, and probably not meant: for the people who look after it. Nothing here changes a decision."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.access.policy.builtin import built_in
from plumbline.access.policy.lines import BLANKS, Line
from plumbline.access.policy.patterns import GLOB, REGEX, pattern
from plumbline.access.policy.places import Place
from plumbline.access.policy.policy import Policy
from plumbline.access.policy.requests import ACTIONS
from plumbline.access.policy.rules import ALLOW, DENY
from plumbline.access.policy.source import DEFAULT_ROLE
from plumbline.base.errors import BadExpression

_SIGNS: Final = frozenset("*?[]{}\\")


class Remark(NamedTuple):
    place: Place
    text: str
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


def remarks(policy: Policy) -> tuple[Remark, ...]:
    """All of them, in the order of the lines."""
    return tuple(_remarks(policy))


def _remarks(policy: Policy) -> Iterator[Remark]:
    lines, mode = policy.lines, policy.source.match_mode
    for line in lines.rules:
        for what in _about_rule(line, mode):
            yield Remark(line.place, line.text, what)
    own = built_in()
    meant = {line.fields[0] for line in (*lines.rules, *lines.links, *own.rules, *own.links)}
    for line in lines.links:
        for what in _about_link(line, meant):
            yield Remark(line.place, line.text, what)
    for line in lines.idle:
        yield Remark(line.place, line.text, "it has no effect: lines begin with p or g")
    role = policy.source.default_role
    if role and role not in meant:
        yield Remark(Place(DEFAULT_ROLE), role, f"no line says what {role} may do")


def _about_rule(line: Line, mode: str) -> Iterator[str]:
    subject, resource, action, name, effect = line.fields
    if not subject:
        yield "without a subject it is for nobody"
    yield from _blanks(line)
    if effect not in {ALLOW, DENY}:
        yield f"it has no effect: {effect!r} is neither allow nor deny"
    for text in (resource, action, name):
        try:
            pattern(text, mode)
        except BadExpression as fault:
            dead = mode == GLOB and effect != DENY
            yield f"{text} cannot be read ({fault.why or fault.what}), so that it {'never allows' if dead else 'denies'}"
    if mode != REGEX and resource not in ACTIONS and _SIGNS.isdisjoint(resource):
        yield f"there is no resource {resource}"


def _about_link(line: Line, meant: set[str]) -> Iterator[str]:
    name, role = line.fields
    if not name or not role:
        yield "it links nobody, or to nothing"
    yield from _blanks(line)
    if role and role not in meant:
        yield f"no line says what {role} may do"


def _blanks(line: Line) -> Iterator[str]:
    odd = [field for field in line.fields if field != field.rstrip(BLANKS)]
    if odd:
        yield f"the blank at the end of {odd[0]!r} is a part of it"
