"""What functions of all families need."""

from collections.abc import Callable
from functools import wraps

from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.values import Failed, Value


class Told(Failed):
    """A failure in words of ours, which tell nothing about the values that led to it."""


def raw(text: str) -> bytes:
    """The bytes of a Go string."""
    return text.encode(errors="surrogateescape")


def text(octets: bytes) -> str:
    """Bytes as a Go string, whatever they are."""
    return octets.decode(errors="surrogateescape")


def costing(steps: int) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """For functions that take milliseconds: *steps* of the budget of the template go for each call."""

    def priced(call: Callable[..., Value]) -> Callable[..., Value]:
        @wraps(call)
        def charged(budget: Budget, *arguments: Value) -> Value:
            budget.step(steps)
            return call(*arguments)

        return budgeted(charged)

    return priced
