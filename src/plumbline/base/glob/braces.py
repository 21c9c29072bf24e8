"""The patterns of gobwas/glob: `*`, `**`, `?`, `[abc]`, `[!a-z]`, `{a,b}` and a backslash before what means itself.

With separators, `*` and `?` stop at them and `**` does not; without any, the two stars are the same.
"""

from functools import lru_cache
from typing import Final

from plumbline.base.glob.automaton import (
    ANY,
    DEEPEST,
    LONGEST,
    Chars,
    Choice,
    Glob,
    Part,
    Star,
    Text,
    any_except,
    refused,
)

_MOST_PATTERNS: Final = 8192


@lru_cache(maxsize=_MOST_PATTERNS)
def glob(pattern: str, separators: str = "") -> Glob:
    """*pattern*, ready to be matched. Raises BadExpression."""
    if len(pattern) > LONGEST:
        raise refused(pattern, f"it is longer than {LONGEST} characters")
    if "\0" in pattern or "\ufffd" in pattern:
        raise refused(pattern, "it holds a character that no name has")
    return Glob(pattern, _Reader(pattern, separators).parts())


class _Reader:
    def __init__(self, pattern: str, separators: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._one = any_except(separators)

    def parts(self, depth: int = 0) -> list[Part]:
        """Up to the end, or within braces to the comma or brace that ends a branch."""
        if depth > DEEPEST:
            raise refused(self._pattern, f"its braces are nested deeper than {DEEPEST}")
        found: list[Part] = []
        while self._at < len(self._pattern):
            char = self._pattern[self._at]
            if depth and char in ",}":
                break
            if char == "*":
                found.append(self._star())
            elif char == "?":
                self._at += 1
                found.append(self._one)
            elif char == "[":
                found.append(self._class())
            elif char == "{":
                found.append(self._choice(depth))
            else:
                found.append(Text(self._text("?*[{,}" if depth else "?*[{")))
        return found

    def _star(self) -> Part:
        twice = self._pattern.startswith("**", self._at)
        self._at += 2 if twice else 1
        return Star(ANY if twice else self._one)

    def _choice(self, depth: int) -> Choice:
        """Braces that are never closed end with the pattern."""
        branches: list[tuple[Part, ...]] = []
        more = True
        while more:
            self._at += 1
            branches.append(tuple(self.parts(depth + 1)))
            more = self._pattern.startswith(",", self._at)
        self._at += 1
        return Choice(tuple(branches))

    def _class(self) -> Chars:
        """A single range, or a list of characters: never both, and several ranges neither."""
        self._at += 1
        negated = self._pattern.startswith("!", self._at)
        self._at += negated
        if self._pattern[self._at + 1 : self._at + 2] == "-":
            low, high = self._pattern[self._at], self._pattern[self._at + 2 : self._at + 3]
            self._at += 3
            ranges: tuple[tuple[str, str], ...] = ((low, high),)
            if high and high < low:
                raise refused(self._pattern, f"the range from {low} to {high} is empty")
        else:
            ranges = tuple((char, char) for char in self._text("]"))
        if not self._pattern.startswith("]", self._at):
            raise refused(self._pattern, "a class is not closed, or has more than one range")
        self._at += 1
        if not ranges:
            raise refused(self._pattern, "a class is empty")
        return Chars(ranges, negated)

    def _text(self, ends: str) -> str:
        """Up to one of *ends*. A backslash at the very end means nothing."""
        found: list[str] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in ends:
            self._at += self._pattern[self._at] == "\\"
            found.append(self._pattern[self._at : self._at + 1])
            self._at += 1
        return "".join(found)
