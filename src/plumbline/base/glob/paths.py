"""The patterns of Go's `path.Match`: `*` and `?` within a path, `[a-z0-9]`, `[^a]`, and a backslash before what means itself."""

from functools import lru_cache
from typing import Final

from plumbline.base.glob.automaton import LONGEST, Chars, Glob, Part, Star, Text, any_except, refused

_MOST_PATTERNS: Final = 8192
_ONE: Final = any_except("/")


@lru_cache(maxsize=_MOST_PATTERNS)
def path_glob(pattern: str) -> Glob:
    """*pattern*, ready to be matched. Raises BadExpression."""
    if len(pattern) > LONGEST:
        raise refused(pattern, f"it is longer than {LONGEST} characters")
    return Glob(pattern, _Reader(pattern).parts())


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def parts(self) -> list[Part]:
        found: list[Part] = []
        while self._at < len(self._pattern):
            char = self._pattern[self._at]
            if char == "*":
                self._at += 1
                found.append(Star(_ONE))
            elif char == "?":
                self._at += 1
                found.append(_ONE)
            elif char == "[":
                found.append(self._class())
            else:
                found.append(Text(self._taken()))
        return found

    def _class(self) -> Chars:
        self._at += 1
        negated = self._pattern.startswith("^", self._at)
        self._at += negated
        ranges: list[tuple[str, str]] = []
        while not (ranges and self._pattern.startswith("]", self._at)):
            low = self._limit()
            high = low
            if self._pattern.startswith("-", self._at):
                self._at += 1
                high = self._limit()
            ranges.append((low, high))
        self._at += 1
        return Chars(tuple(ranges), negated)

    def _limit(self) -> str:
        if self._at >= len(self._pattern) or self._pattern[self._at] in "-]":
            raise refused(self._pattern, "a class is not closed, or a range has no end")
        return self._taken()

    def _taken(self) -> str:
        """The next character, which a backslash may precede."""
        if self._pattern[self._at] == "\\":
            self._at += 1
            if self._at >= len(self._pattern):
                raise refused(self._pattern, "there is nothing after the backslash")
        self._at += 1
        return self._pattern[self._at - 1]
