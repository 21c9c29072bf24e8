"""Sets of indexes, written as Jobs write them: `0,2-5`."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

_integer: Final = re.compile(r"[+-]?[0-9]{1,10}").fullmatch


class Indexes:
    """Never changed; ordered ranges that neither touch nor overlap."""

    __slots__ = ("ranges",)

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        """From first and last of each range, in any order."""
        merged: list[tuple[int, int]] = []
        for first, last in sorted(ranges):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(merged[-1][1], last))
            else:
                merged.append((first, last))
        self.ranges = tuple(merged)

    @classmethod
    def of(cls, indexes: Iterable[int]) -> "Indexes":
        return cls((index, index) for index in indexes)

    @classmethod
    def parse(cls, text: str, completions: int) -> "Indexes":
        """Those below *completions*; what cannot be read is left out."""
        return cls(_parsed(text, completions))

    def __or__(self, other: "Indexes") -> "Indexes":
        return Indexes((*self.ranges, *other.ranges))

    def __and__(self, other: "Indexes") -> "Indexes":
        pairs = ((max(a, c), min(b, d)) for a, b in self.ranges for c, d in other.ranges)
        return Indexes((first, last) for first, last in pairs if first <= last)

    def __contains__(self, index: int) -> bool:
        at = bisect_left(self.ranges, index, key=lambda each: each[1])
        return at < len(self.ranges) and self.ranges[at][0] <= index

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.ranges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Indexes) and self.ranges == other.ranges

    def __hash__(self) -> int:
        return hash(self.ranges)

    def __str__(self) -> str:
        return ",".join(map(_written, self.ranges))

    def __repr__(self) -> str:
        return f"Indexes({str(self)!r})"

    def missing(self, completions: int) -> Iterator[int]:
        """The indexes below *completions* that are not in here, in order."""
        at = 0
        for first, last in self.ranges:
            yield from range(at, min(first, completions))
            at = max(at, last + 1)
        yield from range(at, completions)


def _written(each: tuple[int, int]) -> str:
    first, last = each
    if first == last:
        return str(first)
    return f"{first},{last}" if last == first + 1 else f"{first}-{last}"


def _parsed(text: str, completions: int) -> Iterator[tuple[int, int]]:
    for part in filter(None, text.split(",")):
        first, *more = part.split("-")
        if not _integer(first) or (more and not _integer(more[0])):
            continue
        if int(first) >= completions:
            return
        yield int(first), min(int(more[0]), completions - 1) if more else int(first)
