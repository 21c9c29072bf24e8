"""The shape of a value: what its schema says about merging it, compiled once and shared.

A shape answers one question for patches, apply and diff: how do two versions of this value combine? It keeps nothing
else of the schema; validation has its own reading.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Final

from plumbline.base.json import Json


class Form(Enum):
    SCALAR = "scalar"
    RECORD = "record"
    """An object with declared fields; an undeclared one is an error to apply."""
    MAP = "map"
    """An object with free keys and one shape for all values."""
    LIST = "list"
    """A list that is replaced as a whole."""
    SET = "set"
    """A list of distinct scalars."""
    TABLE = "table"
    """A list of objects told apart by `keys`: Kubernetes' associative list."""
    FREE = "free"
    """Nothing is declared: the value itself tells its form, maps granular, lists atomic."""


@dataclass(frozen=True, eq=False)
class Shape:
    form: Form
    atomic: bool = False
    """Replaced and owned as a whole, whatever its form."""
    keys: tuple[str, ...] = ()
    key_defaults: Mapping[str, Json] = field(default_factory=dict)
    open: bool = False
    """A record that also keeps undeclared fields (x-kubernetes-preserve-unknown-fields)."""
    kind: str = ""
    """JSON type where declared: string, integer, number, boolean, int-or-string, quantity, date-time."""
    patch_keys: tuple[str, ...] = ()
    """The key by which strategic merge patch tells list items apart, where it merges them; ("",) for scalars."""
    retain_keys: bool = False
    """Strategic merge patch drops fields that the patch does not retain (unions)."""
    resolve_fields: Callable[[], Mapping[str, "Shape"]] = dict
    resolve_values: "Callable[[], Shape] | None" = None

    @cached_property
    def fields(self) -> Mapping[str, "Shape"]:
        """Shapes of declared fields; resolved on first use, because schemas refer to each other in circles."""
        return self.resolve_fields()

    @cached_property
    def values(self) -> "Shape":
        """The shape of list items, or of map values."""
        return self.resolve_values() if self.resolve_values else FREE

    def child(self, name: str) -> "Shape | None":
        """The shape under *name*, or None where the schema declares no such field."""
        if self.form is Form.RECORD:
            declared = self.fields.get(name)
            if declared is not None or not self.open:
                return declared
            return FREE
        return self.values


FREE: Final = Shape(Form.FREE)
SCALAR: Final = Shape(Form.SCALAR)
