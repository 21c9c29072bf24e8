"""What a text has used of its limits, counted over all of its documents."""

from dataclasses import dataclass
from typing import NamedTuple

from plumbline.base.documents.places import Repeats, Source, Spot
from plumbline.base.limits import Limits


class Weight(NamedTuple):
    """What an alias adds: nodes and characters of what it stands for, and how many levels that has."""

    nodes: int
    chars: int
    height: int


class Meter:
    """Counts nodes as they are read. Few texts need one: see `needed`."""

    __slots__ = ("deepest", "expanded_chars", "expanded_nodes", "limits", "nodes", "worth_a_look")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.worth_a_look = limits.scalar_bytes // 4
        """Characters of a scalar beyond which it is worth counting its bytes."""
        self.nodes = 0
        self.expanded_nodes = 0
        self.expanded_chars = 0
        self.deepest = 0

    @staticmethod
    def needed(text: bytes, limits: Limits) -> bool:
        """Whether *text* can exceed a limit that its size alone does not keep it from.

        One byte of YAML gives at most three nodes: the colon in `[:]` is a mapping, its key and its value.
        """
        if 3 * len(text) > limits.nodes or len(text) > limits.scalar_bytes:
            return True
        return b"&" in text and b"*" in text

    def check(self, text: str, source: Source, spot: Spot) -> None:
        """Refuse if there are too many nodes by now, or if *text* is too long for one."""
        if self.nodes > self.limits.nodes:
            raise source.exceeded(f"it has more than {self.limits.nodes:,} nodes", spot)
        if len(text.encode()) > self.limits.scalar_bytes:
            raise source.exceeded(f"one value has more than {self.limits.scalar_bytes:,} bytes", spot)

    def count_alias(self, weight: Weight, depth: int, source: Source, spot: Spot) -> None:
        limits = self.limits
        self.expanded_nodes += weight.nodes
        self.expanded_chars += weight.chars
        self.deepest = max(self.deepest, depth + weight.height)
        if self.nodes + self.expanded_nodes > limits.expanded_nodes:
            raise source.exceeded(f"its aliases stand for more than {limits.expanded_nodes:,} nodes", spot)
        if self.expanded_chars > limits.expanded_chars:
            raise source.exceeded(f"its aliases stand for more than {limits.expanded_chars:,} characters", spot)
        if self.deepest > limits.depth:
            raise source.exceeded(f"its aliases make it deeper than {limits.depth} levels", spot)


@dataclass(frozen=True, slots=True)
class Reading:
    """How one text is read; all of its documents share it."""

    source: Source
    limits: Limits
    repeats: Repeats
    meter: Meter | None = None
