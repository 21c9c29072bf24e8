"""The answer to "is this object well?", as values."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Literal

import msgspec

Basis = Literal["rule", "override", "generic"]
"""Who said it: a rule for this very kind, a user's own script, or the rule for any object with conditions."""


class Status(StrEnum):
    """Best first: the order of declaration is the order of severity."""

    HEALTHY = "Healthy"
    SUSPENDED = "Suspended"
    PROGRESSING = "Progressing"
    MISSING = "Missing"
    DEGRADED = "Degraded"
    UNKNOWN = "Unknown"


SEVERITY: Final = {status: rank for rank, status in enumerate(Status)}


class Health(msgspec.Struct, frozen=True):
    status: Status
    message: str = ""
    basis: Basis = "rule"


def worst(statuses: Iterable[Status]) -> Status:
    """The most severe of them; Healthy when there is none."""
    return max(statuses, key=SEVERITY.__getitem__, default=Status.HEALTHY)
