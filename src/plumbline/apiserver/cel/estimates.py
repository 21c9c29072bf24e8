"""Sizes and costs that are not known, only bounded."""

from math import ceil
from typing import Final, NamedTuple, Protocol

MOST: Final = 2**64 - 1
"""Where numbers end; what would be more is that."""


class Bounds(NamedTuple):
    """At least and at most."""

    least: int
    most: int

    def plus(self, other: "Bounds") -> "Bounds":
        return Bounds(min(self.least + other.least, MOST), min(self.most + other.most, MOST))

    def times(self, other: "Bounds") -> "Bounds":
        return Bounds(min(self.least * other.least, MOST), min(self.most * other.most, MOST))

    def scaled(self, factor: float) -> "Bounds":
        return Bounds(_scaled(self.least, factor), _scaled(self.most, factor))

    def either(self, other: "Bounds") -> "Bounds":
        return Bounds(min(self.least, other.least), max(self.most, other.most))


def _scaled(value: int, factor: float) -> int:
    return min(ceil(float(value) * factor), MOST)


def exactly(count: int) -> Bounds:
    return Bounds(count, count)


UNKNOWN: Final = Bounds(0, MOST)
NOTHING: Final = Bounds(0, 0)
ONE: Final = Bounds(1, 1)


class Sized(Protocol):
    """How large values of a declared type can be."""

    @property
    def most(self) -> int:
        """Characters of a string, items of a list, entries of a map; 0 for what has no size."""

    def inside(self, name: str) -> "Sized | None":
        """Of a field by the name that expressions use, of `@items`, `@values` or `@keys`."""
