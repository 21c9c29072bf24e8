"""The part of a status that every kind we reconcile has: conditions, and which generation they speak of."""

from typing import Annotated, Literal

from plumbline.kinds.fields import Fields, Int64, keyed_by


class Condition(Fields):
    """One aspect of how an object is."""

    type: str
    """Which aspect; Ready sums up the others."""
    status: Literal["True", "False", "Unknown"]
    reason: str = ""
    """One word for programs."""
    message: str = ""
    """One sentence for people."""
    observed_generation: Int64 = 0
    """The generation of the object that this was found for."""
    last_transition_time: str = ""
    """When the status last changed."""


class ObservedStatus(Fields):
    """What the kernel writes; a kind adds its own fields by inheriting."""

    observed_generation: Int64 = 0
    """The generation of the object that was last looked at."""
    conditions: Annotated[tuple[Condition, ...], keyed_by("type")] = ()
