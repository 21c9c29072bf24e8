"""Choices that a seed repeats."""

from collections.abc import Sequence
from typing import TypeVar

from plumbline.base.ids import Ids

T = TypeVar("T")


class Dice:
    def __init__(self, seed: int) -> None:
        self._ids = Ids(seed)

    def below(self, limit: int) -> int:
        return min(int(self._ids.between(0, limit)), limit - 1)

    def chance(self, probability: float) -> bool:
        return self._ids.between(0, 1) < probability

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.below(len(choices))]

    def shuffled(self, choices: Sequence[T]) -> list[T]:
        left, out = list(choices), []
        while left:
            out.append(left.pop(self.below(len(left))))
        return out

    def uid(self) -> str:
        return self._ids.uid()
