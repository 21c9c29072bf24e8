"""How much a template may do: authors are trusted with a message, not with the process."""

from typing import Final, NamedTuple

from plumbline.base.errors import LimitExceeded
from plumbline.base.limits import KIB, MIB
from plumbline.gotemplate.values import Typed, Value

_DEEPEST: Final = 100


class Bounds(NamedTuple):
    steps: int = 200_000
    """Nodes that are looked at, functions' work included."""
    output_bytes: int = 1 * MIB
    value_bytes: int = 1 * MIB
    """The longest string, and the most elements of a list, on the way."""
    depth: int = 50
    """Of templates that call each other."""


class Budget:
    """What is left of the bounds during one execution."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._steps = bounds.steps
        self._output = bounds.output_bytes

    def step(self, count: int = 1) -> None:
        self._steps -= count
        if self._steps < 0:
            raise LimitExceeded(f"the template takes more than {self.bounds.steps} steps")

    def write(self, text: str) -> None:
        self._output -= len(text)
        if self._output < 0:
            raise LimitExceeded(f"the template prints more than {self.bounds.output_bytes // KIB} KiB")

    def hold(self, size: int) -> None:
        """Something of *size* is about to be made."""
        if size > self.bounds.value_bytes:
            raise LimitExceeded(f"the template makes a value of more than {self.bounds.value_bytes // KIB} KiB")
        self.step(size >> 10)

    def weigh(self, value: Value, depth: int = 0) -> None:
        """*value* is about to be walked as a whole, and it may hold the same part many times, or itself."""
        self.step()
        if depth > _DEEPEST:
            raise LimitExceeded(f"the template makes a value that is deeper than {_DEEPEST} levels")
        if isinstance(value, Typed):
            return
        if isinstance(value, dict):
            for each in value.values():
                self.weigh(each, depth + 1)
        elif isinstance(value, list | tuple):
            for each in value:
                self.weigh(each, depth + 1)
        elif isinstance(value, str):
            self.hold(len(value))
