"""The shape of a value: what its schema says about merging it, compiled once and shared.

A shape answers one question for patches, apply and diff: how do two versions of this value combine? It keeps nothing
else of the schema; validation has its own reading.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Final

from plumbline.base.json import Json, JsonObject

_ZEROS: Final[Mapping[str, Json]] = {"integer": 0, "number": 0, "boolean": False, "date-time": None, "quantity": "0"}


class Form(Enum):
    SCALAR = "scalar"
    RECORD = "record"
    """An object with declared fields; an undeclared one is an error to apply unless the record is `open`."""
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
    name: str = ""
    """What the server calls the type, where it has a name."""
    atomic: bool = False
    """Replaced and owned as a whole, whatever its form."""
    keys: tuple[str, ...] = ()
    key_defaults: Mapping[str, Json] = field(default_factory=dict)
    open: bool = False
    """A record that also keeps undeclared fields, in the shape of `values`."""
    kind: str = ""
    """What a scalar is, where declared: string, integer, number, boolean, quantity, int-or-string, date-time."""
    required: frozenset[str] = frozenset()
    """Fields that a record must have; the server's own types write them even when empty."""
    embedded: tuple[str, ...] = ()
    """Fields that are there even when nobody wrote them, because the server's own types embed them."""
    nulls: tuple[str, ...] = ()
    """Fields that the server's own types write as null where nobody wrote them."""
    resets: Mapping[str, JsonObject] = field(default_factory=dict)
    """On a root: per subresource ("" for the main one) the field set that writers through it never own."""
    patch_keys: tuple[str, ...] = ()
    """The key by which strategic merge patch tells list items apart, where it merges them; ("",) for scalars."""
    patch_replaces: bool = False
    """Strategic merge patch replaces this map as a whole."""
    retain_keys: bool = False
    """Strategic merge patch drops fields that the patch does not retain (unions)."""
    resolve_fields: Callable[[], Mapping[str, "Shape"]] = dict
    resolve_values: "Callable[[], Shape] | None" = None

    @cached_property
    def fields(self) -> Mapping[str, "Shape"]:
        """Shapes of declared fields; resolved on first use, because schemas refer to each other in circles."""
        return self.resolve_fields()

    @cached_property
    def zeros(self) -> Mapping[str, Json]:
        """What the server's own types put where a required scalar was not written."""
        required = {name: self.fields[name] for name in self.required if name in self.fields}
        return {name: zero_of(each) for name, each in required.items() if each.form is Form.SCALAR}

    @cached_property
    def values(self) -> "Shape":
        """The shape of list items, of map values, or of a record's undeclared fields."""
        return self.resolve_values() if self.resolve_values else FREE

    def child(self, name: str) -> "Shape | None":
        """The shape under *name*, or None where the schema declares no such field."""
        if self.form is not Form.RECORD:
            return self.values
        declared = self.fields.get(name)
        return self.values if declared is None and self.open else declared


def zero_of(scalar: Shape) -> Json:
    """What the server's own types hold where a scalar has no value."""
    return _ZEROS.get(scalar.kind, "")


FREE: Final = Shape(Form.FREE)
UNTYPED: Final = Shape(Form.FREE, atomic=True)
"""Any value, always replaced and owned as a whole."""
SCALAR: Final = Shape(Form.SCALAR)
