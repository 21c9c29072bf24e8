"""A pattern as a list of steps, for a machine that follows all ways through it at once."""

from typing import Final, NamedTuple

from plumbline.base.regex.charsets import CharSet
from plumbline.base.regex.cursor import refused
from plumbline.base.regex.syntax import Assert, Capture, Chars, Choice, Node, Repeat, Sequence, parse

_MOST_STEPS: Final = 20_000
"""A step costs time for every character; Go allows more."""


class Step(NamedTuple):
    """Exactly one of: takes a character; asserts; splits (first way preferred); or, with none of these, is the end."""

    chars: CharSet | None = None
    asserts: str = ""
    ways: tuple[int, ...] = ()
    following: int = 0
    slot: int = -1
    """Where the place of this step is remembered, of those with one way."""


MATCH: Final = Step()


class _Builder:
    """Builds from the end, so that each step knows what follows."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.steps: list[Step] = [MATCH]

    def add(self, step: Step) -> int:
        if len(self.steps) >= _MOST_STEPS:
            raise refused("expression too large", self.pattern)
        self.steps.append(step)
        return len(self.steps) - 1

    def before(self, node: Node, following: int) -> int:
        """The step at which *node* begins, if *following* comes after it."""
        if isinstance(node, Chars):
            return self.add(Step(chars=node.chars, following=following))
        if isinstance(node, Assert):
            return self.add(Step(asserts=node.kind, following=following))
        if isinstance(node, Sequence):
            for each in reversed(node.nodes):
                following = self.before(each, following)
            return following
        if isinstance(node, Choice):
            return self.add(Step(ways=tuple(self.before(each, following) for each in node.nodes)))
        if isinstance(node, Repeat):
            return self._before_repeat(node, following)
        if isinstance(node, Capture):
            end = self.add(Step(ways=(following,), slot=2 * node.number + 1))
            return self.add(Step(ways=(self.before(node.node, end),), slot=2 * node.number))
        raise refused("invalid or unsupported Perl syntax", self.pattern)  # pragma: no cover - `parse` allows no looks

    def _before_repeat(self, repeat: Repeat, following: int) -> int:
        copies = repeat.least
        if repeat.most is None:
            loop = self.add(Step())
            entry = self.before(repeat.node, loop)
            self.steps[loop] = _split(entry, following, repeat)
            if copies:
                copies -= 1
            elif _nullable(repeat.node):
                # Entering the loop from outside is a way of its own: (|a)* prefers to match nothing.
                entry = self.add(_split(entry, following, repeat))
            else:
                entry = loop
        else:
            entry = following
            for _ in range(repeat.most - repeat.least):
                entry = self.add(_split(self.before(repeat.node, entry), following, repeat))
        for _ in range(copies):
            entry = self.before(repeat.node, entry)
        return entry


def _nullable(node: Node) -> bool:
    if isinstance(node, Sequence):
        return all(map(_nullable, node.nodes))
    if isinstance(node, Choice):
        return any(map(_nullable, node.nodes))
    if isinstance(node, Repeat):
        return node.least == 0 or _nullable(node.node)
    if isinstance(node, Capture):
        return _nullable(node.node)
    return isinstance(node, Assert)


def _split(body: int, following: int, repeat: Repeat) -> Step:
    return Step(ways=(body, following) if repeat.greedy else (following, body))


class Program(NamedTuple):
    steps: tuple[Step, ...]
    start: int


def program_of(pattern: str, *, captures: bool = False) -> Program:
    builder = _Builder(pattern)
    start = builder.before(parse(pattern, captures=captures), 0)
    return Program(tuple(builder.steps), start)
