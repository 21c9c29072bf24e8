"""Patterns as machines that follow all ways through them at once."""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import BadExpression, LimitExceeded

LONGEST: Final = 1024
LONGEST_TEXT: Final = 4096
DEEPEST: Final = 32
_MOST_MOVES: Final = 4096
"""How many moves are remembered. A pattern that needs more is slower, not wrong."""


class Chars(NamedTuple):
    """One character: one of *ranges*, or with *negated* any other."""

    ranges: tuple[tuple[str, str], ...] = ()
    negated: bool = False

    def holds(self, char: str) -> bool:
        return any(low <= char <= high for low, high in self.ranges) is not self.negated


class Text(NamedTuple):
    text: str


class Star(NamedTuple):
    """Any number of such characters."""

    chars: Chars


class Choice(NamedTuple):
    branches: tuple[tuple["Part", ...], ...]


Part: TypeAlias = Chars | Text | Star | Choice

ANY: Final = Chars(negated=True)


def any_except(separators: str) -> Chars:
    return Chars(tuple((each, each) for each in separators), negated=True)


def refused(pattern: str, why: str) -> BadExpression:
    shown = pattern if len(pattern) <= 100 else f"{pattern[:100]}…"  # noqa: PLR2004 - what a person takes in
    return BadExpression(f"The pattern {shown!r} cannot be read", why=why)


class Glob:
    """One pattern. Places in it are bits of a number: the set bits are where one can be after what was read."""

    __slots__ = ("_entry", "_literal", "_moves", "_steps", "pattern")

    def __init__(self, pattern: str, parts: Sequence[Part]) -> None:
        self.pattern = pattern
        texts = [part.text for part in parts if isinstance(part, Text)]
        self._literal = "".join(texts) if len(texts) == len(parts) else None
        self._steps: list[tuple[Chars, int]] = [(Chars(), 0)]
        self._entry = self._before(parts, 1)
        self._moves: dict[tuple[int, str], int] = {}

    def matches(self, text: str) -> bool:
        """Whether it stands for the whole of *text*. Raises LimitExceeded rather than guess about an endless one."""
        if self._literal is not None:
            return text == self._literal
        if len(text) > LONGEST_TEXT:
            raise LimitExceeded("The text is too long for a pattern", why=f"it has more than {LONGEST_TEXT} characters")
        at, moves = self._entry, self._moves
        for char in text:
            following = moves.get((at, char))
            at = self._moved(at, char) if following is None else following
            if not at:
                return False
        return bool(at & 1)

    def _moved(self, at: int, char: str) -> int:
        following, rest = 0, at & ~1
        while rest:
            lowest = rest & -rest
            rest ^= lowest
            chars, goes = self._steps[lowest.bit_length() - 1]
            if chars.holds(char):
                following |= goes
        if len(self._moves) >= _MOST_MOVES:
            self._moves.clear()
        self._moves[at, char] = following
        return following

    def _before(self, parts: Sequence[Part], following: int) -> int:
        """Where one is before *parts*, if *following* is where one is after them."""
        for part in reversed(parts):
            if isinstance(part, Choice):
                branches = [self._before(branch, following) for branch in part.branches]
                following = 0
                for branch in branches:
                    following |= branch
            elif isinstance(part, Star):
                here = self._add(part.chars, following, loop=True)
                following |= here
            elif isinstance(part, Chars):
                following = self._add(part, following)
            else:
                for char in reversed(part.text):
                    following = self._add(Chars(((char, char),)), following)
        return following

    def _add(self, chars: Chars, following: int, *, loop: bool = False) -> int:
        here = 1 << len(self._steps)
        self._steps.append((chars, following | here if loop else following))
        return here
