"""What a diff is made of: one line per field that differs, with who holds the live value."""

from enum import Enum
from typing import Final, NamedTuple

from plumbline.base.json import Json
from plumbline.kube.apply.fieldset import element_text


class Change(Enum):
    ADD = "add"
    """Desired, and not there."""
    CHANGE = "change"
    REMOVE = "remove"
    """There because we once wrote it, and no longer desired."""


class Absent:
    """Not there at all, which is not the same as null."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = Absent()


class Difference(NamedTuple):
    elements: tuple[str, ...]
    """The path as field sets spell it; `path` is for people."""
    change: Change
    desired: Json | Absent
    live: Json | Absent
    managers: tuple[str, ...]
    """Field managers that hold the live value; empty where it has none or nobody holds it."""
    secret: bool = False
    """The values are secret: compare them, never show them."""

    @property
    def path(self) -> str:
        return "".join(map(element_text, self.elements))
