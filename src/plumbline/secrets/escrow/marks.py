"""What the Secret of a key says about being put aside: when that was, and for whom."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.clock import rfc3339

_MOST_NAMES: Final = 8
_LONGEST: Final = 1024


class Mark(NamedTuple):
    when: str
    whom: str


def mark(now: datetime, names: Sequence[str]) -> str:
    """The value of the annotation. However many there are and whatever they are called, it stays short."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    whom = ", ".join(" ".join(name.split()) for name in names[:_MOST_NAMES])
    return f"{rfc3339(now)} {whom}{more}"[:_LONGEST]


def read_mark(text: str) -> Mark | None:
    """None for a key that was never put aside. Anything that somebody wrote there by hand counts as a word that it was."""
    when, _, whom = text.strip().partition(" ")
    return Mark(when, whom) if when else None
