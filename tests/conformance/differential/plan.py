"""The matrix: which cells there are, and the scenarios that fill each of them from several seeds."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

from plumbline.base.environment import environment

from .spots import Spot, kinds_of_lists
from .subjects import custom, plain, workloads
from .subjects.subject import Subject

SUBJECTS: Final = (*workloads.SUBJECTS, *plain.SUBJECTS, *custom.SUBJECTS)
OPERATIONS: Final = ("create", "update", "json", "merge", "strategic", "apply", "forced", "giveup")
MANAGERS: Final = (1, 2, 3)
LEAST_FILLS: Final = 3
COUNTED: Final = ("scenarios", "fills of cells", "writes compared", "conflicts", "invalid draws")
"""What a scenario reports about itself, in the order of the summary line."""
SEEDS: Final = tuple(range(*map(int, environment().get("PLUMBLINE_SEEDS", f"0-{LEAST_FILLS}").split("-"))))
"""`PLUMBLINE_SEEDS=100-120` walks through other seeds than those that every run repeats."""


class Cell(NamedTuple):
    kind: str
    operation: str
    managers: int
    listed: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.operation}, {self.managers} managers, {self.listed}"


@dataclass(frozen=True)
class Scenario:
    """One chain of writes: every cell of a kind and a number of managers, once."""

    subject: Subject
    managers: int
    seed: int
    subresource: str = ""

    @property
    def slug(self) -> str:
        via = f"-{self.subresource}" if self.subresource else ""
        return f"{self.subject.name.lower()[:40]}{via}-{self.managers}-seed-{self.seed}"

    @property
    def spots(self) -> tuple[Spot, ...]:
        return self.subject.status_spots if self.subresource else self.subject.all_spots

    @property
    def number(self) -> int:
        """A seed of its own for each scenario, so that kinds do not walk in step."""
        at = next(n for n, subject in enumerate(SUBJECTS) if subject is self.subject)
        return (self.seed * len(SUBJECTS) + at) * len(MANAGERS) + self.managers

    @property
    def cells(self) -> list[Cell]:
        return [
            Cell(self.kind, operation, self.managers, listed)
            for operation in OPERATIONS
            if self._possible(operation)
            for listed in self._lists(operation)
        ]

    @property
    def kind(self) -> str:
        return f"{self.subject.name}/{self.subresource}" if self.subresource else self.subject.name

    def _possible(self, operation: str) -> bool:
        if operation == "strategic" and self.subject.crd is not None:
            return False
        return operation != "create" or not self.subresource

    def _lists(self, operation: str) -> list[str]:
        spots = self.spots + (self.subject.birth_spots if operation == "create" else ())
        return sorted(kinds_of_lists(spots))


def scenarios(seeds: tuple[int, ...] = SEEDS) -> Iterator[Scenario]:
    for subject, managers, seed in product(SUBJECTS, MANAGERS, seeds):
        yield Scenario(subject, managers, seed)


def status_scenarios(seeds: tuple[int, ...] = SEEDS) -> Iterator[Scenario]:
    for subject, managers, seed in product(SUBJECTS, MANAGERS, seeds):
        if subject.status_spots:
            yield Scenario(subject, managers, seed, "status")
