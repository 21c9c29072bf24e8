"""Whether and where a pattern occurs. The states that texts lead to are made when first met, and kept."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from plumbline.base.regex.charsets import WORD
from plumbline.base.regex.program import MATCH, Program, program_of

_MOST_STATES: Final = 2_000
_MOST_PATTERNS: Final = 1_024
_WORK: Final = 20_000_000
"""Steps that one text may take; what takes more does not match."""


class _State:
    """The steps that are open between two characters, what kind of character was before, and where each leads."""

    __slots__ = ("before", "moves", "open")

    def __init__(self, open_steps: tuple[int, ...], before: str) -> None:
        self.open = open_steps
        self.before = before
        self.moves: dict[str, _State] = {}


_ACCEPTED: Final = _State((), "")


class Regex:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._program: Program = program_of(pattern)
        self._looks_back = any(step.asserts and step.asserts in "^bB" for step in self._program.steps)
        self._states: dict[tuple[tuple[int, ...], str], _State] = {}

    def matches(self, text: str) -> bool:
        """Whether the pattern occurs anywhere in *text*."""
        state = self._state((), "")
        work = 0
        for char in text:
            following = state.moves.get(char)
            if following is None:
                work += len(self._program.steps)
                if work > _WORK:
                    return False
                following = self._move(state, char)
            if following is _ACCEPTED:
                return True
            state = following
        return (state.moves.get("") or self._move(state, "")) is _ACCEPTED

    def find(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """Where the leftmost match from *start* on begins and ends; of those, the one that Perl would prefer."""
        found: tuple[int, int] | None = None
        threads: list[tuple[int, int]] = []
        for at in range(start, len(text) + 1):
            if found is None:
                threads.append((self._program.start, at))
            elif not threads:
                break
            char = text[at : at + 1]
            before = text[at - 1 : at] if at else ""
            threads, ended = self._advanced(threads, before, char)
            if ended is not None:
                found = (ended, at)
        return found

    def find_all(self, text: str, most: int = -1) -> list[str]:
        """What matches, from left to right and without overlaps; *most* of them unless it is negative."""
        found: list[str] = []
        at, end_before = 0, -1
        while at <= len(text) and len(found) != most:
            span = self.find(text, at)
            if span is None:
                break
            begin, end = span
            if begin != end or begin != end_before:
                found.append(text[begin:end])
            end_before = end
            at = end if end > begin else end + 1
        return found

    def _state(self, open_steps: tuple[int, ...], before: str) -> _State:
        key = open_steps, before
        state = self._states.get(key)
        if state is None:
            if len(self._states) >= _MOST_STATES:
                self._states.clear()
            state = self._states[key] = _State(open_steps, before)
        return state

    def _move(self, state: _State, char: str) -> _State:
        """Where *char* leads from *state*; an empty one stands for the end of the text."""
        steps = self._program.steps
        reached: list[int] = []
        for at in self._closure((*state.open, self._program.start), state.before, char):
            step = steps[at]
            if step is MATCH:
                state.moves[char] = _ACCEPTED
                return _ACCEPTED
            if step.chars is not None and char and step.chars.holds(char):
                reached.append(step.following)
        before = _sort_of(char) if self._looks_back else "."
        following = state.moves[char] = self._state(tuple(dict.fromkeys(reached)), before)
        return following

    def _closure(self, entries: Iterable[int], before: str, char: str) -> Iterator[int]:
        """The steps that take a character or end, reached from *entries* without taking one, in order of preference."""
        steps = self._program.steps
        seen: set[int] = set()
        stack = list(entries)[::-1]
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            step = steps[at]
            if step.ways:
                stack.extend(step.ways[::-1])
            elif step.asserts:
                if asserted(step.asserts, before, char):
                    stack.append(step.following)
            else:
                yield at

    def _advanced(
        self, threads: list[tuple[int, int]], before: str, char: str
    ) -> tuple[list[tuple[int, int]], int | None]:
        """*threads* after *char*, and where a match that ends here began, which ends all less preferred threads."""
        steps = self._program.steps
        moved: list[tuple[int, int]] = []
        taken: set[int] = set()
        seen: set[int] = set()
        for entry, begin in threads:
            for at in self._closure((entry,), before, char):
                if at in seen:
                    continue
                seen.add(at)
                step = steps[at]
                if step is MATCH:
                    return moved, begin
                if char and step.chars is not None and step.following not in taken and step.chars.holds(char):
                    taken.add(step.following)
                    moved.append((step.following, begin))
        return moved, None


def asserted(kind: str, before: str, after: str) -> bool:
    """Whether a place between two characters, empty at the ends of the text, is what *kind* asks for."""
    if kind == "A":
        return not before
    if kind == "z":
        return not after
    if kind == "^":
        return not before or before == "\n"
    if kind == "$":
        return not after or after == "\n"
    return (_word(before) is not _word(after)) is (kind == "b")


def _sort_of(char: str) -> str:
    """One character for all that assertions do not tell apart."""
    return "\n" if char == "\n" else "a" if _word(char) else "."


def _word(char: str) -> bool:
    return bool(char) and any(low <= char <= high for low, high in WORD)


@lru_cache(maxsize=_MOST_PATTERNS)
def compiled(pattern: str) -> Regex:
    """Raises `BadExpression` with the words of Go."""
    return Regex(pattern)
