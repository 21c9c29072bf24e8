"""Where the groups of a pattern match, in time linear in the text."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from plumbline.base.regex.matching import asserted
from plumbline.base.regex.program import MATCH, Program, program_of
from plumbline.base.regex.syntax import Capture, Node, Repeat, parse

_MOST_PATTERNS: Final = 256

Places: TypeAlias = tuple[int, ...]
"""Begin and end of the whole and of each group; -1 for those that have no part in the match."""


class Captures:
    """A pattern whose groups are wanted. `names` are those of the groups that have one."""

    def __init__(self, pattern: str) -> None:
        self.names: dict[str, int] = {}
        self.count = 0
        for group in _groups(parse(pattern, captures=True)):
            self.count = max(self.count, group.number)
            if group.name:
                self.names[group.name] = group.number
        self._program: Program = program_of(pattern, captures=True)

    def find(self, text: str, start: int = 0) -> Places | None:
        """The leftmost match from *start* on; of those, the one that Perl would prefer."""
        blank = (-1,) * (2 * self.count + 2)
        found: Places | None = None
        threads: list[tuple[int, Places]] = []
        for at in range(start, len(text) + 1):
            if found is None:
                threads.append((self._program.start, (at, *blank[1:])))
            elif not threads:
                break
            threads, ended = self._advanced(threads, text, at)
            if ended is not None:
                found = (ended[0], at, *ended[2:])
        return found

    def find_all(self, text: str) -> Iterator[Places]:
        """From left to right and without overlaps."""
        at, before = 0, -1
        while at <= len(text):
            found = self.find(text, at)
            if found is None:
                return
            begin, end = found[:2]
            if begin != end or begin != before:
                yield found
            before = end
            at = end if end > begin else end + 1

    def _advanced(
        self, threads: list[tuple[int, Places]], text: str, at: int
    ) -> tuple[list[tuple[int, Places]], Places | None]:
        steps = self._program.steps
        before, char = text[at - 1 : at] if at else "", text[at : at + 1]
        moved: list[tuple[int, Places]] = []
        seen: set[int] = set()
        for entry, entered in threads:
            stack = [(entry, entered)]
            while stack:
                here, places = stack.pop()
                if here in seen:
                    continue
                seen.add(here)
                step = steps[here]
                if step is MATCH:
                    return moved, places
                if step.slot >= 0:
                    places = (*places[: step.slot], at, *places[step.slot + 1 :])
                if step.ways:
                    stack.extend((way, places) for way in reversed(step.ways))
                elif step.asserts:
                    if asserted(step.asserts, before, char):
                        stack.append((step.following, places))
                elif char and step.chars is not None and step.chars.holds(char):
                    moved.append((step.following, places))
        return moved, None


def _groups(node: Node) -> Iterator[Capture]:
    if isinstance(node, Capture):
        yield node
    if isinstance(node, Capture | Repeat):
        yield from _groups(node.node)
    for each in getattr(node, "nodes", ()):
        yield from _groups(each)


@lru_cache(maxsize=_MOST_PATTERNS)
def capturing(pattern: str) -> Captures:
    """Raises `BadExpression` with the words of Go."""
    return Captures(pattern)
