"""One evaluation: its variables, and what it has cost so far."""

from collections.abc import Callable, Mapping
from typing import Final

from plumbline.apiserver.cel.values import Value
from plumbline.base.errors import LimitExceeded

COST_LIMIT: Final = 1_000_000
"""What one expression may cost. Python spends about a microsecond on a unit."""
_LOOK_UP_EVERY: Final = 20_000


class Run:
    """`slots` hold the variables of loops; `interrupted` is asked now and then whether to give up."""

    __slots__ = ("cost", "interrupted", "limit", "next_look", "slots", "variables")

    def __init__(
        self,
        variables: Mapping[str, Value],
        slots: int,
        limit: int = COST_LIMIT,
        interrupted: Callable[[], bool] | None = None,
    ) -> None:
        self.variables = variables
        self.slots: list[Value] = [None] * slots
        self.cost = 0
        self.limit = limit
        self.interrupted = interrupted
        self.next_look = _LOOK_UP_EVERY

    def spend(self, cost: int) -> None:
        """Raises `LimitExceeded` where that is too much, or where the evaluation is to end; no operator forgives that."""
        self.cost += cost
        if self.cost > self.limit:
            raise LimitExceeded("operation cancelled: actual cost limit exceeded")
        if self.cost > self.next_look:
            self.next_look = self.cost + _LOOK_UP_EVERY
            if self.interrupted is not None and self.interrupted():
                raise LimitExceeded("operation interrupted")


Step = Callable[[Run], Value]
"""A node of an expression, ready to be evaluated."""


class Constant:
    """A step whose value is known before it is taken."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __call__(self, _run: Run) -> Value:
        return self.value
