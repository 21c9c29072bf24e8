"""Rules by what they say about objects: a role with thousands of lines is not read line by line."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.access.policy.rules import Rule

_NO_RULES: Final[tuple[Rule, ...]] = ()


class Objects(NamedTuple):
    """Each list is in the order of the rules."""

    words: dict[str, Rule]
    """Rules about exactly one object; the first of several."""
    heads: dict[str, tuple[Rule, ...]]
    """Those about objects with a known first part, which is nearly always the project."""
    others: tuple[Rule, ...]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> "Objects | None":
        words: dict[str, Rule] = {}
        heads: dict[str, list[Rule]] = {}
        others: list[Rule] = []
        for rule in rules:
            if rule.object.word is not None:
                words.setdefault(rule.object.word, rule)
            elif rule.object.head is not None:
                heads.setdefault(rule.object.head, []).append(rule)
            else:
                others.append(rule)
        if not (words or heads or others):
            return None
        return cls(words, {head: tuple(some) for head, some in heads.items()}, tuple(others))

    def first(self, name: str) -> Rule | None:
        """The first rule about this object."""
        found = self.words.get(name)
        if self.heads:
            for rule in self.heads.get(name.partition("/")[0], _NO_RULES):
                if rule.object.matches(name):
                    if found is None or rule.order < found.order:
                        found = rule
                    break
        for rule in self.others:
            if found is not None and found.order < rule.order:
                break
            if rule.object.matches(name):
                return rule
        return found
