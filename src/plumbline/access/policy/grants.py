"""What somebody may do and may not do, by themselves and as a member of groups."""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from plumbline.access.policy.objects import Objects
from plumbline.access.policy.patterns import Pattern
from plumbline.access.policy.rules import Rule

_MOST_REQUESTS: Final = 512
"""Actions may name an object (`delete/apps/Deployment/shop/web`), so that there is no end of them."""
_MOST_SELECTIONS: Final = 64
"""How many different sets of lines they lead to is up to the policy, and each takes room."""


class Grants:
    """The rules of one name and of all roles that it has, in order."""

    __slots__ = ("denials", "name", "reached", "rules")

    def __init__(self, name: str, reached: frozenset[str], rules: tuple[Rule, ...]) -> None:
        self.name = name
        self.reached = reached
        self.rules = rules
        self.denials = sum(rule.denies for rule in rules)


Ruling: TypeAlias = tuple[Rule, Grants]
"""A rule that decides, and by whom it was come by."""


class _Contested(NamedTuple):
    """One of the names, and what is denied to it."""

    grants: Grants
    denying: Objects
    allowing: Objects | None


class _Selection(NamedTuple):
    """The rules about one resource and action."""

    free: Objects | None
    """What is allowed to those to whom nothing is denied."""
    owners: dict[int, Grants]
    contested: tuple[_Contested, ...]

    def deciding(self, name: str) -> Ruling | None:
        if self.free is not None:
            rule = self.free.first(name)
            if rule is not None:
                return rule, self.owners[rule.order]
        denied: Ruling | None = None
        for grants, denying, allowing in self.contested:
            rule = denying.first(name)
            if rule is not None:
                denied = denied or (rule, grants)
            elif allowing is not None and (rule := allowing.first(name)) is not None:
                return rule, grants
        return denied


class Crowd:
    """Names of which one that is allowed is enough: somebody, and the groups that they are in.

    Each name is asked alone, as upstream does it: what is denied to one group is not denied to another. *base* are
    others beside them, whom the same is asked if nobody here is allowed.
    """

    def __init__(self, members: tuple[Grants, ...], base: "Crowd | None" = None) -> None:
        self._members = members
        self._base = base
        self._sorts: dict[tuple[str, str], tuple[Pattern, Pattern]] = {
            _sort(rule): (rule.resource, rule.action) for grants in members for rule in grants.rules
        }
        self._requests: dict[tuple[str, str], _Selection] = {}
        self._selections: dict[frozenset[tuple[str, str]], _Selection] = {}

    def deciding(self, resource: str, action: str, name: str) -> Ruling | None:
        """A rule that allows, else the first that denies."""
        selection = self._requests.get((resource, action))
        if selection is None:
            selection = self._selected(resource, action)
        found = selection.deciding(name)
        if self._base is None or (found is not None and not found[0].denies):
            return found
        below = self._base.deciding(resource, action, name)
        return below if below is not None and not (found and below[0].denies) else found

    def _selected(self, resource: str, action: str) -> _Selection:
        sorts = frozenset(
            sort
            for sort, (resources, actions) in self._sorts.items()
            if resources.matches(resource) and actions.matches(action)
        )
        found = self._selections.get(sorts)
        if found is None:
            if len(self._selections) >= _MOST_SELECTIONS:
                self._selections.clear()
            found = self._selections[sorts] = self._put_together(sorts)
        if len(self._requests) >= _MOST_REQUESTS:
            self._requests.clear()
        self._requests[resource, action] = found
        return found

    def _put_together(self, sorts: frozenset[tuple[str, str]]) -> _Selection:
        owners: dict[int, Grants] = {}
        free: dict[int, Rule] = {}
        contested: list[_Contested] = []
        for grants in self._members:
            rules = [rule for rule in grants.rules if _sort(rule) in sorts] if sorts else []
            denying = Objects.of(rule for rule in rules if rule.denies)
            if denying is not None:
                contested.append(_Contested(grants, denying, Objects.of(_allowing(rules))))
                continue
            for rule in rules:
                free[rule.order] = rule
                owners.setdefault(rule.order, grants)
        return _Selection(Objects.of(free[order] for order in sorted(free)), owners, tuple(contested))


def _allowing(rules: list[Rule]) -> Iterator[Rule]:
    return (rule for rule in rules if not rule.denies)


def _sort(rule: Rule) -> tuple[str, str]:
    return rule.resource.text, rule.action.text
