"""The lines that count together: those for everything, and on top of them those of one project."""

from collections.abc import Iterable, Iterator
from typing import Final

from plumbline.access.policy.grants import Crowd, Grants
from plumbline.access.policy.lines import Lines
from plumbline.access.policy.rules import Rule, rule_of

_DEEPEST: Final = 10
"""How many links lead from a name to a role at most, as it is upstream. It also ends every circle."""
_MOST_NAMES: Final = 2_048


class Book:
    """Rules and links by name. What a name may do is put together when it is first asked for, and kept."""

    def __init__(self, lines: Lines, mode: str, below: "Book | None" = None) -> None:
        self._below = below
        first = below.size if below else 0
        self.size: int = first + len(lines.rules)
        self._rules: dict[str, list[Rule]] = {}
        for order, line in enumerate(lines.rules, first):
            rule = rule_of(line, order, mode)
            if rule is not None:
                self._rules.setdefault(rule.subject, []).append(rule)
        links: dict[str, list[str]] = {}
        for line in lines.links:
            links.setdefault(line.fields[0], []).append(line.fields[1])
        self._links = {name: tuple(dict.fromkeys(roles)) for name, roles in links.items()}
        self._own = self._rules.keys() | self._links.keys()
        self._grants: dict[str, Grants] = {}
        self._crowds: dict[tuple[str, tuple[str, ...]], Crowd] = {}

    def roles(self, name: str) -> tuple[str, ...]:
        """Those that *name* has directly."""
        own = self._links.get(name, ())
        return (*self._below.roles(name), *own) if self._below else own

    def known(self, name: str) -> bool:
        """Whether a line with `g` gives *name* a role."""
        return name in self._links or (self._below is not None and self._below.known(name))

    def crowd(self, name: str, groups: tuple[str, ...]) -> Crowd:
        """Somebody and each of their groups that has a role; a group without one has no effect."""
        found = self._crowds.get((name, groups))
        if found is None:
            if len(self._crowds) >= _MOST_NAMES:
                self._crowds.clear()
            found = self._crowds[name, groups] = self._gathered(name, groups)
        return found

    def _gathered(self, name: str, groups: tuple[str, ...]) -> Crowd:
        """The crowd below, and before it those of it for whom this book has more.

        It cannot be used where this book denies something to one of them, as it does not know that.
        """
        below = self._below
        names = [name, *(each for each in dict.fromkeys(groups) if each and each != name and self.known(each))]
        if below is None:
            return Crowd(tuple(map(self.grants, names)))
        changed = [each for each in names if self._adds_to(below.grants(each).reached)]
        if not changed:
            return below.crowd(name, groups)
        if any(self.grants(each).denials != below.grants(each).denials for each in changed):
            return Crowd(tuple(map(self.grants, names)))
        return Crowd(tuple(map(self.grants, changed)), below.crowd(name, groups))

    def grants(self, name: str) -> Grants:
        found = self._grants.get(name)
        if found is None:
            if len(self._grants) >= _MOST_NAMES:
                self._grants.clear()
            found = self._grants[name] = self._put_together(name)
        return found

    def way(self, name: str, role: str) -> tuple[str, ...]:
        """From *name* to *role*, both included, by as few links as there are."""
        came_from = {name: ""}
        for each in self._reached(name, came_from):
            if each == role:
                break
        steps = [role]
        while steps[-1] != name:
            steps.append(came_from[steps[-1]])
        return tuple(reversed(steps))

    def _put_together(self, name: str) -> Grants:
        names = tuple(self._reached(name, {name: ""}))
        if self._below is not None and not self._adds_to(names):
            return self._below.grants(name)
        return Grants(name, frozenset(names), tuple(sorted(self._rules_of(names), key=_order)))

    def _adds_to(self, names: Iterable[str]) -> bool:
        return not self._own.isdisjoint(names)

    def _rules_of(self, names: tuple[str, ...]) -> Iterator[Rule]:
        if self._below is not None:
            yield from self._below._rules_of(names)  # noqa: SLF001 - another of the same
        for each in names:
            yield from self._rules.get(each, ())

    def _reached(self, name: str, came_from: dict[str, str]) -> Iterator[str]:
        """*name* and all its roles, nearest first."""
        nearest = [name]
        yield name
        for _ in range(_DEEPEST):
            following: list[str] = []
            for each in nearest:
                for role in self.roles(each):
                    if role not in came_from:
                        came_from[role] = each
                        following.append(role)
            yield from following
            nearest = following


def _order(rule: Rule) -> int:
    return rule.order
