"""Expressions that look ahead and behind, for short texts."""

from functools import lru_cache
from typing import Final

from plumbline.base.errors import LimitExceeded
from plumbline.base.regex.cursor import refused
from plumbline.base.regex.matching import asserted
from plumbline.base.regex.syntax import Assert, Capture, Chars, Choice, Look, Node, Repeat, Sequence, parse

LONGEST_TEXT: Final = 253
"""What Kubernetes allows as a name."""
_MOST_GROUPS: Final = 50
_WORK: Final = 200_000
_MOST_PATTERNS: Final = 256


def found_in(pattern: str, text: str) -> bool:
    """Whether *pattern* occurs anywhere in *text*.

    Raises BadExpression where it cannot be read, and LimitExceeded rather than go on for long.
    """
    if len(text) > LONGEST_TEXT:
        raise LimitExceeded("The text is too long for an expression", why=f"it has more than {LONGEST_TEXT} characters")
    search = _Search(text)
    tree = _tree(pattern)
    return any(search.ends(tree, at) for at in range(len(text) + 1))


@lru_cache(maxsize=_MOST_PATTERNS)
def _tree(pattern: str) -> Node:
    if pattern.count("(") > _MOST_GROUPS:
        raise refused("expression nests too deeply", pattern)
    return parse(pattern, looks=True)


class _Search:
    """Knows of each part of a pattern and each place in the text where that part may end, and finds it out once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[tuple[int, int], frozenset[int]] = {}
        self._work = 0

    def ends(self, node: Node, at: int) -> frozenset[int]:
        key = id(node), at
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._found(node, at)
        return known

    def _found(self, node: Node, at: int) -> frozenset[int]:
        self._spend(1)
        if isinstance(node, Chars):
            return frozenset({at + 1} if at < len(self._text) and node.chars.holds(self._text[at]) else ())
        if isinstance(node, Sequence):
            places = frozenset({at})
            for each in node.nodes:
                if not places:
                    break
                places = self._all(each, places)
            return places
        if isinstance(node, Choice):
            return frozenset().union(*(self.ends(each, at) for each in node.nodes))
        if isinstance(node, Repeat):
            return self._repeated(node, at)
        if isinstance(node, Capture):
            return self.ends(node.node, at)
        holds = self._asserted(node, at) if isinstance(node, Assert) else self._seen(node, at)
        return frozenset({at} if holds else ())

    def _all(self, node: Node, places: frozenset[int]) -> frozenset[int]:
        self._spend(len(places))
        return frozenset().union(*(self.ends(node, place) for place in places))

    def _repeated(self, node: Repeat, at: int) -> frozenset[int]:
        places = frozenset({at})
        for _ in range(node.least):
            places = self._all(node.node, places)
        found, fresh, count = places, places, node.least
        while fresh and count != node.most:
            fresh = self._all(node.node, fresh) - found
            found |= fresh
            count += 1
        return found

    def _asserted(self, node: Assert, at: int) -> bool:
        return asserted(node.kind, self._text[at - 1 : at] if at else "", self._text[at : at + 1])

    def _seen(self, node: Look, at: int) -> bool:
        if node.ahead:
            found = bool(self.ends(node.node, at))
        else:
            found = any(at in self.ends(node.node, start) for start in range(at + 1))
        return found is not node.negated

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > _WORK:
            raise LimitExceeded("The expression takes too long", hint="Write a simpler one.")
